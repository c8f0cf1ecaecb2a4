#include "shared/base/file_content.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "shared/base/content_hash.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

constexpr double kLater = 3600;  // seconds after which any file is settled

double later() {
  return unix_now() + kLater;
}

Digest hash_of_text(const std::string& text) {
  return content_hash(text.data(), text.size());
}

class FileHashesTest : public testing::Test {
 protected:
  FileHashesTest() : folder_(testing::TempDir() + "file_content_" + std::to_string(getpid()) + "/") {
    std::filesystem::create_directories(folder_);
  }
  ~FileHashesTest() override { std::filesystem::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + name, std::ios::binary) << content;
    return folder_ + name;
  }
  struct stat about(const std::string& path) const {
    struct stat is {};
    EXPECT_EQ(stat(path.c_str(), &is), 0);
    return is;
  }
  // Writes until the file system's clock has advanced, so that the times distinguish this content from the
  // last.
  void rewrite(const std::string& path, const std::string& content) const {
    const auto was = about(path).st_ctim;
    for (auto is = was; is.tv_sec == was.tv_sec && is.tv_nsec == was.tv_nsec; is = about(path).st_ctim)
      std::ofstream(path, std::ios::binary) << content;
  }
  // A hash that no reading gives, under the only stamp that is remembered.
  static void plant(FileHashes& hashes) {
    ASSERT_EQ(hashes.remembered().size(), 1u);
    hashes.learn(hashes.remembered().begin()->first, digest_of("planted"));
  }
  std::string folder_;
};

TEST_F(FileHashesTest, HashIsThatOfTheWholeContent) {
  FileHashes hashes;
  for (const std::size_t size : {0u, 1u, 300u, (1u << 20) - 1, 1u << 20, (1u << 20) + 1, 3'000'000u}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 2654435761u >> 24);
    const auto found = hashes.content_of(put("x", content));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->hash, hash_of_text(content)) << size;
    EXPECT_EQ(found->bytes, size);
  }
}

TEST_F(FileHashesTest, SettledFileIsReadOnceUnderAllItsNames) {
  const std::string path = put("x", "abcd");
  std::filesystem::create_symlink(path, folder_ + "link");
  FileHashes hashes(later);
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abcd"));
  plant(hashes);
  EXPECT_EQ(hashes.hash_of(path), digest_of("planted"));
  EXPECT_EQ(hashes.hash_of(folder_ + "link"), digest_of("planted"));
}

TEST_F(FileHashesTest, FileChangedJustNowIsReadAgainEachTime) {
  const std::string path = put("x", "abcd");
  FileHashes hashes;
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abcd"));
  EXPECT_TRUE(hashes.remembered().empty());
  put("x", "abce");  // perhaps within the same tick
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abce"));
}

TEST_F(FileHashesTest, AgeIsCountedFromTheLaterOfItsTwoTimes) {
  const std::string path = put("x", "abcd");
  const auto is = about(path);
  const double changed =
      static_cast<double>(is.st_ctim.tv_sec) + static_cast<double>(is.st_ctim.tv_nsec) / 1e9;
  const auto remembers = [&](double now) {
    FileHashes hashes([&] { return now; });
    EXPECT_TRUE(hashes.hash_of(path));
    return !hashes.remembered().empty();
  };
  EXPECT_FALSE(remembers(changed + FileHashes::kSettledSeconds - 0.1));
  EXPECT_TRUE(remembers(changed + FileHashes::kSettledSeconds + 0.1));
  const timespec times[2] = {{0, UTIME_OMIT}, {is.st_mtim.tv_sec + 100, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_FALSE(remembers(changed + 50));
  EXPECT_TRUE(remembers(changed + 110));
}

TEST_F(FileHashesTest, RewriteOfTheSameSizeIsSeen) {
  const std::string path = put("x", "abcd");
  FileHashes hashes(later);
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abcd"));
  rewrite(path, "abce");
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abce"));
}

TEST_F(FileHashesTest, OnlyTheContentThatWasReadIsRemembered) {
  const std::string path = put("x", "abcd");
  FileHashes hashes(later);
  EXPECT_FALSE(hashes.remembers(path, hash_of_text("abcd")));
  EXPECT_TRUE(hashes.hash_of(path));
  EXPECT_TRUE(hashes.remembers(path, hash_of_text("abcd")));
  EXPECT_FALSE(hashes.remembers(path, hash_of_text("abce")));
  rewrite(path, "abce");
  EXPECT_FALSE(hashes.remembers(path, hash_of_text("abcd")));
  std::filesystem::remove(path);
  EXPECT_FALSE(hashes.remembers(path, hash_of_text("abcd")));
}

TEST_F(FileHashesTest, RewriteWithItsOldTimeOfModificationIsSeen) {
  const std::string path = put("x", "abcd");
  const auto before = about(path);
  FileHashes hashes(later);
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abcd"));
  rewrite(path, "abce");
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  ASSERT_EQ(about(path).st_mtim.tv_nsec, before.st_mtim.tv_nsec);
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abce"));
}

TEST_F(FileHashesTest, FileMovedIntoItsPlaceIsSeen) {
  const std::string path = put("x", "abcd");
  FileHashes hashes(later);
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abcd"));
  std::filesystem::rename(put("y", "abce"), path);
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abce"));
}

// The clock is asked between the first look at a file and its reading: there the file is changed.
TEST_F(FileHashesTest, FileThatGrowsWhileItIsReadIsReadAgain) {
  const std::string path = put("x", "abcd");
  int asked = 0;
  FileHashes hashes([&] {
    if (++asked == 1) std::ofstream(path, std::ios::app) << "e";
    return later();
  });
  EXPECT_EQ(hashes.hash_of(path), hash_of_text("abcde"));
  EXPECT_EQ(asked, 2);
}

TEST_F(FileHashesTest, FileThatIsChangedDuringEveryReadingIsAnError) {
  const std::string path = put("x", "abcd");
  int asked = 0;
  FileHashes hashes([&] {
    if (++asked % 2 == 0)
      std::filesystem::resize_file(path, 2);
    else
      rewrite(path, "abcd" + std::to_string(asked));
    return later();
  });
  const auto found = hashes.hash_of(path);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::StartsWith(path + ": was changed each of the 3 times"));
  EXPECT_EQ(asked, FileHashes::kReadingsMax);
  EXPECT_TRUE(hashes.remembered().empty());
}

TEST_F(FileHashesTest, WhatIsNoReadableFileIsAnErrorWithItsPath) {
  FileHashes hashes;
  const std::string pipe = folder_ + "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {folder_ + "none", folder_, pipe}) {
    const auto found = hashes.hash_of(path);
    ASSERT_FALSE(found) << path;
    EXPECT_THAT(found.error().message, testing::AllOf(testing::StartsWith(path + ": "), IsGolden()));
  }
}

TEST_F(FileHashesTest, WhatOneProcessHasReadAnotherLearnsByBytes) {
  const std::string path = put("x", "abcd");
  FileHashes one(later), other(later);
  ASSERT_TRUE(one.hash_of(path));
  const FileStamp stamp = one.remembered().begin()->first;
  const auto told = file_stamp_from_bytes(stamp.bytes());
  ASSERT_TRUE(told);
  EXPECT_EQ(*told, stamp);
  other.learn(*told, digest_of("told"));
  EXPECT_EQ(other.hash_of(path), digest_of("told"));
  EXPECT_FALSE(file_stamp_from_bytes(""));
  EXPECT_FALSE(file_stamp_from_bytes(stamp.bytes() + "x"));
}

TEST_F(FileHashesTest, NumberOfFilesThatAreRememberedIsBounded) {
  FileHashes hashes(later);
  for (std::uint64_t inode = 0; inode < 3 * FileHashes::kRememberedMax; ++inode) {
    hashes.learn({1, inode, 0, 0, 0}, digest_of("x"));
    ASSERT_LE(hashes.remembered().size(), FileHashes::kRememberedMax);
  }
}

}  // namespace
}  // namespace kernsweep
