// Damaged pages cost what they have or lead to, and no reading is without end.
#include "results/recovery/table_rows.hpp"

#include <random>

#include "tests/unit/results/recovery/recovered.hpp"

namespace kernsweep {
namespace {

using test::asked;
using test::file_content;
using test::good;
using test::RecoveryTest;
using test::why;
using test::write_file;
using testing::HasSubstr;

// What is lost is known by the page: a leaf costs its rows, an inner page may cost those of its table.
TEST_F(RecoveryTest, AnyHalfPageOfZerosCostsNoMoreThanWhatItLeadsTo) {
  make();
  const std::string whole = file_content(path);
  const std::string hurt = folder.file("hurt.db");
  constexpr std::size_t kPiece = 4096, kPageBytes = 8192;
  std::uint64_t told_on_opening = 0, pieces = 0;
  for (std::size_t at = 0; at < whole.size();
       at += is_inner(whole, at / kPageBytes) ? kPiece : 3 * kPiece) {
    SCOPED_TRACE(at / kPageBytes + 1);
    std::string bytes = whole;
    bytes.replace(at, kPiece, kPiece, '\0');
    if (bytes == whole) continue;
    write_file(hurt, bytes);
    ++pieces;
    told_on_opening += Reader::open(hurt) ? 0 : 1;
    const Recovery told = good(recover(hurt, to));
    EXPECT_EQ(file_content(hurt), bytes);
    EXPECT_TRUE(is_inner(whole, at / kPageBytes) || count(to, "outcome") + kOnAPage >= kJobs + 2);
    EXPECT_EQ(wrong_rows(to, path), 0U);
    EXPECT_EQ(checked(to), "ok");
    EXPECT_EQ(asked(to, "select count(*) from attempt_row where sweep_id not in (select id from sweep)"),
              "0");
    EXPECT_EQ(asked(to, "select count(*) from sample where result not in (select result from attempt_row)"),
              "0");
    if (at / kPiece % 8 == 0 || is_inner(whole, at / kPageBytes)) resume(to);
    std::filesystem::remove(to);
  }
  EXPECT_GT(pieces, 30U);
  // The file is small: SQLite looks at all of it when it is opened.
  EXPECT_GT(told_on_opening, pieces / 2);
}

// All that says where the tables are: they are looked for where a new database has them.
TEST_F(RecoveryTest, ALostFirstPageCostsNoRow) {
  make();
  const std::string whole = file_content(path);
  std::mt19937 random(7);
  for (const std::size_t bytes : {100, 512, 8192}) {
    for (const bool zeros : {true, false}) {
      std::string hurt = whole;
      for (std::size_t at = 0; at < bytes; ++at) hurt[at] = static_cast<char>(zeros ? 0 : random());
      write_file(path, hurt);
      const Recovery told = good(recover(path, to));
      EXPECT_TRUE(told.whole()) << text_of(told, path, to);
      EXPECT_EQ(count(to, "outcome"), kJobs + 2);
      write_file(path, whole);
      EXPECT_EQ(wrong_rows(to, path), 0U);
      EXPECT_EQ(asked(to, "select * from s"), asked(path, "select * from s"));
      std::filesystem::remove(to);
    }
  }
}

// Another page in its place, or bytes that mean nothing.
TEST_F(RecoveryTest, APageThatWasOverwrittenCostsWhatItLedTo) {
  make();
  const std::string whole = file_content(path);
  const std::string hurt = folder.file("hurt.db");
  constexpr std::size_t kPageBytes = 8192;
  std::mt19937 random(20261130);
  for (std::size_t page = 1; page < whole.size() / kPageBytes; page += 3) {
    SCOPED_TRACE(page + 1);
    std::string bytes = whole;
    if (page % 2 == 0)
      bytes.replace(page * kPageBytes, kPageBytes, whole,
                    random() % (whole.size() / kPageBytes) * kPageBytes, kPageBytes);
    else
      for (std::size_t at = 0; at < kPageBytes; ++at)
        bytes[page * kPageBytes + at] = static_cast<char>(random());
    write_file(hurt, bytes);
    (void)good(recover(hurt, to));
    EXPECT_TRUE(is_inner(whole, page) || count(to, "outcome") + kOnAPage >= kJobs + 2);
    EXPECT_EQ(wrong_rows(to, path), 0U);
    EXPECT_EQ(checked(to), "ok");
    std::filesystem::remove(to);
  }
}

// Each inner page leads a hundred times to the next one: 10^24 paths to the rows, which are read once.
TEST_F(RecoveryTest, PagesThatLeadToOnePageWithoutEndAreNotReadWithoutEnd) {
  make();
  constexpr std::size_t kPageBytes = 8192;
  std::string bytes = file_content(path);
  const auto number = [&bytes](std::size_t at, std::size_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> 8 * (count - 1 - i));
  };
  const std::size_t root =
      std::stoull(asked(path, "select rootpage from sqlite_schema where name = 'text'"));
  const std::size_t end = bytes.size() / kPageBytes;
  bytes += bytes.substr((root - 1) * kPageBytes, kPageBytes);
  for (std::size_t page = 0; page < 12; ++page) {
    const std::size_t at = page == 0 ? (root - 1) * kPageBytes : bytes.size();
    const std::size_t next = page == 11 ? end + 1 : end + 2 + page;
    bytes.resize(std::max(bytes.size(), at + kPageBytes));
    number(at, 5, 1);
    number(at + 3, 100, 2);
    number(at + 5, kPageBytes - 500, 2);
    number(at + 8, next, 4);
    for (std::size_t cell = 0; cell < 100; ++cell) {
      number(at + 12 + 2 * cell, kPageBytes - 500 + 5 * cell, 2);
      number(at + kPageBytes - 500 + 5 * cell, next, 4);
      number(at + kPageBytes - 500 + 5 * cell + 4, cell, 1);
    }
  }
  number(28, bytes.size() / kPageBytes, 4);
  write_file(path, bytes);
  const Recovery told = good(recover(path, to));
  EXPECT_FALSE(told.whole());
  EXPECT_EQ(count(to, "outcome"), kJobs + 2);
}

// 40 files with 1 to 8 bits flipped anywhere.
TEST_F(RecoveryTest, FlippedBitsNeverCrashAReaderAndNeverStopARecovery) {
  make();
  const std::string whole = file_content(path);
  const std::string hurt = folder.file("hurt.db");
  std::mt19937_64 random(20261121);
  constexpr int kSeeds = 40;
  std::uint64_t saved = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::string bytes = whole;
    for (std::uint64_t n = 1 + random() % 8; n > 0; --n) {
      const std::size_t bit = random() % (8 * bytes.size());
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    }
    write_file(hurt, bytes);
    if (auto reader = Reader::open(hurt)) {
      for (const char* statement :
           {"select * from results", "select * from s", "select * from attempt_history"}) {
        const auto rows = reader->query(statement);
        if (!rows) {
          EXPECT_THAT(why(rows), HasSubstr("hurt.db"));
        }
      }
    } else {
      EXPECT_THAT(why(Reader::open(hurt)), HasSubstr("hurt.db"));
    }
    const auto told = recover(hurt, to);
    ASSERT_TRUE(told) << why(told);
    EXPECT_EQ(file_content(hurt), bytes);
    EXPECT_EQ(checked(to), "ok");
    saved += count(to, "outcome");
    std::filesystem::remove(to);
  }
  EXPECT_GT(saved, kSeeds * kJobs * 95 / 100);
}

}  // namespace
}  // namespace kernsweep
