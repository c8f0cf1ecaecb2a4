// Answers do not depend on the order in which a sweep was measured.
#include "results/read/file_order.hpp"

#include "results/answer/best/sweep_effects.hpp"
#include "results/answer/outputs/bits.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using testing::ElementsAre;

// Three variants on two sizes, in two blocks of six jobs: variant naive, blocked, blas; m 1, 2; the last
// fastest. `points` says which point each job of a block measures.
class FileOrderTest : public ::testing::Test {
 protected:
  using Points = std::vector<std::uint64_t>;

  std::string measured(const std::string& name, const Points& first, const Points& second) {
    const std::string path = folder_.file(name + ".db");
    Store store = good(Store::open_for_writing(path));
    SweepRecord sweep = test::sweep_named("s", {"variant", "m"});
    sweep.raw_points = 6;
    sweep.raw_jobs = 12;
    sweep.processes = 2;
    const SweepId id = good(store.begin_sweep(sweep)).id;
    const HostId host = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7"}));
    const std::string variants[] = {"naive", "blocked", "blas"};
    for (std::uint64_t at = 0; at < 12; ++at) {
      const std::uint64_t point = at < 6 ? first[at] : second[at - 6];
      const std::string& variant = variants[point / 2];
      // naive 4 ms, blocked 2 ms, blas 1 ms, twice as much for m = 2
      Job job(id, at, {Value(variant), Value(static_cast<std::int64_t>(point % 2 + 1))},
              4e-3 / static_cast<double>(1 << point / 2) * static_cast<double>(point % 2 + 1));
      job.record.gflops = kUnknown;  // m is a size: its effect is not asked for
      job.record.point = point;
      job.record.process = at < 6 ? 0 : 1;
      job.record.host = host;
      job.record.output_hash = variant;  // each has bits of its own
      good(store.record(job.ready()));
    }
    good(store.commit());
    return path;
  }
  static std::string order(const std::string& path) {
    auto reader = good(Reader::open(path));
    return good(file_order(reader.connection(), SweepId{1}));
  }

  const Points listed_{0, 1, 2, 3, 4, 5}, random_{4, 1, 3, 5, 0, 2}, other_{2, 5, 0, 3, 1, 4};
  test::Folder folder_;
};

TEST_F(FileOrderTest, NothingIsSortedThatLiesAsTheFileListsIt) {
  EXPECT_EQ(order(measured("a", listed_, listed_)), "");
  EXPECT_NE(order(measured("b", random_, other_)), "");
  EXPECT_NE(order(measured("c", listed_, other_)), "") << "the first block happens to be as listed";
}

// All jobs of a point in a row: blocks of six jobs hold three points each.
TEST_F(FileOrderTest, JobsOfAPointInARowAreInOrderToo) {
  EXPECT_EQ(order(measured("a", {0, 0, 1, 1, 2, 2}, {3, 3, 4, 4, 5, 5})), "");
}

TEST_F(FileOrderTest, RowsComeInBlocksAsListed) {
  auto reader = good(Reader::open(measured("a", random_, other_)));
  std::vector<std::string> seen;
  const std::string sorted = good(file_order(reader.connection(), SweepId{1}));
  good(reader.connection().each_row(
      {"o.process", "o.point", "o.variant"}, "from outcome o where o.sweep_id = 1",
      [&](const sqlite::Row& row) {
        seen.push_back(std::to_string(row.integer(0)) + "/" + std::to_string(row.integer(1)));
        EXPECT_EQ(row.text(2), std::vector({"naive", "blocked", "blas"}).at(row.integer(1) / 2));
      },
      sorted));
  EXPECT_THAT(seen, ElementsAre("0/0", "0/1", "0/2", "0/3", "0/4", "0/5", "1/0", "1/1", "1/2", "1/3", "1/4",
                                "1/5"));
}

TEST_F(FileOrderTest, BestListsTheProblemsAsTheFileDoes) {
  auto reader = good(Reader::open(measured("a", random_, other_)));
  const auto rows = good(best(reader, {.by = {{"m"}}})).rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].problem[0].to_text(), "1");
  EXPECT_EQ(rows[1].problem[0].to_text(), "2");
}

// The baseline is the first variant of the file. Against naive blocked is 2x and blas 4x as fast.
TEST_F(FileOrderTest, SettingsAreHeldAgainstTheFirstOfTheFile) {
  for (const auto& path : {measured("a", listed_, listed_), measured("b", random_, other_)}) {
    auto reader = good(Reader::open(path));
    std::vector<std::string> sentences;
    for (const Effect& effect : good(sweep_effects(reader, "s")).effects) {
      EXPECT_EQ(effect.baseline.to_text(), "naive") << path;
      sentences.push_back(sentence(effect));
    }
    EXPECT_THAT(sentences, ElementsAre(testing::StartsWith("variant: blas is 4.00x as fast as naive"),
                                       testing::StartsWith("variant: blocked is 2.00x as fast as naive")))
        << path;
  }
}

// blocked and blas are compared with naive, for each m: the bits of all four are others.
TEST_F(FileOrderTest, BitsAreHeldAgainstTheFirstOfTheFile) {
  for (const auto& path : {measured("a", listed_, listed_), measured("b", random_, other_)}) {
    auto reader = good(Reader::open(path));
    const auto answer = good(bits(reader, {}));
    ASSERT_GE(answer.axes.rows.size(), 2U);
    const auto& row = answer.axes.rows[1];  // behind that of processes
    EXPECT_EQ(row[0].to_text(), "variant") << path;
    EXPECT_EQ(row[3].to_text(), "4") << path;
    EXPECT_THAT(row[5].to_text(), testing::StartsWith("naive and blocked: ")) << path;
    std::vector<std::string> variants;
    for (const auto& variant : answer.variants.rows) variants.push_back(variant[0].to_text());
    EXPECT_THAT(variants, ElementsAre("naive", "blocked", "blas")) << path;
  }
}

}  // namespace
}  // namespace kernsweep
