// How a sweep begins in a database, and which numbers its jobs have there.
#include "coordinator/net/beginning.hpp"

#include "language/file/replacements_text.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep::coordinator {
namespace {

// Eight points; that two orders of them are the same happens once in 8! sweeps.
const std::string kText = "sweep: 1\nname: s\nkernel: noop\naxes: {i: [1, 2, 3, 4, 5, 6, 7, 8]}\n";

class BeginningTest : public ::testing::Test {
 protected:
  SweepBegun begun(const std::string& text, const std::string& replacements, Again again = Again::no) {
    SweepOrder order;
    order.text = text;
    order.replacements = replacements;
    order.again = again;
    return test::good(begin_sweep(store_, order));
  }
  static std::vector<std::uint64_t> points(const SweepBegun& sweep) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t job = 0; job < 8; ++job) all.push_back(sweep.expansion->job_at(job).position);
    return all;
  }
  std::string stored(const SweepBegun& sweep) {
    return test::good(store_.sweep(sweep.id))->record.replacements;
  }

  const std::vector<std::uint64_t> as_listed_{0, 1, 2, 3, 4, 5, 6, 7};
  const std::string today_ = text_of(Replacements{});
  test::Folder folder_;
  Store store_ = test::good(Store::open_for_writing(folder_.file("b.db")));
};

TEST_F(BeginningTest, ANewSweepKeepsTheOrderThatItWasBegunWith) {
  const SweepBegun sweep = begun(kText, today_);
  EXPECT_NE(points(sweep), as_listed_);
  // As a coordinator that is started again, `replay` and `repro` read it.
  const auto record = test::good(store_.sweep(sweep.id))->record;
  const auto read = test::good(Expansion::parse(record.text, "", replacements_of(record.replacements)));
  for (std::uint64_t job = 0; job < 8; ++job)
    EXPECT_EQ(read.job_at(job).position, points(sweep)[job]) << job;
  const SweepBegun again = begun(record.text, record.replacements);
  EXPECT_EQ(again.id, sweep.id);
  EXPECT_EQ(points(again), points(sweep));
}

// No order in what the database keeps: a version of the file's order has written it.
TEST_F(BeginningTest, ASweepOfAnEarlierVersionGoesOnUnderItsNumbers) {
  const SweepBegun earlier = begun(kText, "");
  EXPECT_EQ(points(earlier), as_listed_);
  const SweepBegun taken_up = begun(kText, stored(earlier));
  EXPECT_EQ(taken_up.id, earlier.id);
  EXPECT_EQ(points(taken_up), as_listed_);
  const SweepBegun run_again = begun(kText, today_);
  EXPECT_EQ(run_again.id, earlier.id);
  EXPECT_EQ(points(run_again), as_listed_);
  EXPECT_EQ(stored(run_again), "");
}

TEST_F(BeginningTest, ReplacementsOfAnEarlierVersionAreMetToo) {
  Replacements replacements;
  replacements.settings = {"seed=7"};
  const SweepBegun earlier = begun(kText, "set seed=7\n");
  EXPECT_EQ(begun(kText, text_of(replacements)).id, earlier.id);
  replacements.settings = {"seed=8"};
  const SweepBegun other = begun(kText, text_of(replacements));
  EXPECT_NE(other.id, earlier.id);
  EXPECT_NE(points(other), as_listed_);
}

TEST_F(BeginningTest, AnOrderThatTheFileNamesIsTheSameInAllVersions) {
  const std::string text = kText + "measure: {order: shuffle}\n";
  const SweepBegun earlier = begun(text, "");
  EXPECT_NE(points(earlier), as_listed_);
  const SweepBegun now = begun(text, today_);
  EXPECT_EQ(now.id, earlier.id);
  EXPECT_EQ(points(now), points(earlier));
}

TEST_F(BeginningTest, MeasuredAgainItHasTheNumbersOfToday) {
  const SweepBegun earlier = begun(kText, "");
  const SweepBegun again = begun(kText, today_, Again::all);
  EXPECT_NE(again.id, earlier.id);
  EXPECT_NE(points(again), as_listed_);
  // From now on that is the one which the same file means.
  EXPECT_EQ(begun(kText, today_).id, again.id);
  EXPECT_EQ(begun(kText, stored(earlier)).id, earlier.id);
}

TEST_F(BeginningTest, AnotherTextOfTheSameNameIsAnotherSweep) {
  const SweepBegun earlier = begun(kText, "");
  const SweepBegun other = begun(kText + "seed: 3\n", today_);
  EXPECT_NE(other.id, earlier.id);
  EXPECT_NE(points(other), as_listed_);
}

// Before a worker has joined it is not known what parameters are; of `threads` the language says it.
TEST_F(BeginningTest, WhatTheProblemIsIsStoredAsSoonAsItIsKnown) {
  using Problem = std::vector<std::optional<bool>>;
  const std::string text =
      "sweep: 1\nname: p\nkernel: f\naxes: {m: [1], way: [2], threads: [1], variant: [v]}\n";
  const auto problem_of = [&](SweepId id) { return test::good(store_.sweep(id))->record.problem; };
  SweepOrder order{.text = text, .replacements = today_};
  const SweepBegun first = test::good(begin_sweep(store_, order));
  EXPECT_EQ(problem_of(first.id), (Problem{std::nullopt, std::nullopt, false, false}));
  CatalogueFamily family{"f",
                         false,
                         {{"m", "integer", {}, true, "", true}, {"way", "integer", {}, true, "", false}},
                         {{"v", {}, true, ""}}};
  SweepOrder again{.text = text, .replacements = today_};
  again.catalogues = {std::make_shared<Catalogue>(), std::make_shared<Catalogue>(Catalogue{{family}})};
  EXPECT_EQ(test::good(begin_sweep(store_, again)).id, first.id);
  EXPECT_EQ(problem_of(first.id), (Problem{true, false, false, false}));
  // A coordinator that is started again knows no worker yet, and forgets nothing.
  SweepOrder last{.text = text, .replacements = today_};
  EXPECT_EQ(test::good(begin_sweep(store_, last)).id, first.id);
  EXPECT_EQ(problem_of(first.id), (Problem{true, false, false, false}));
}

// The order of another seed is another numbering.
TEST_F(BeginningTest, TheSeedNumbersTheJobs) {
  const SweepBegun one = begun(kText, today_);
  const SweepBegun two = begun(kText, "set seed=2\n" + today_);
  EXPECT_NE(one.id, two.id);
  EXPECT_NE(points(one), points(two));
}

}  // namespace
}  // namespace kernsweep::coordinator
