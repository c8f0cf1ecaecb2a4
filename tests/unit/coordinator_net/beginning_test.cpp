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

  const std::vector<std::uint64_t> as_listed_{0, 1, 2, 3, 4, 5, 6, 7};
  const std::string today_ = text_of(Replacements{});
  test::Folder folder_;
  Store store_ = test::good(Store::open_for_writing(folder_.file("b.db")));
};

TEST_F(BeginningTest, ANewSweepKeepsTheOrderThatItWasBegunWith) {
  const SweepBegun sweep = begun(kText, today_);
  EXPECT_NE(points(sweep), as_listed_);
  // As a restarted coordinator, `replay` and `repro` read it.
  const auto record = test::good(store_.sweep(sweep.id))->record;
  const auto read = test::good(Expansion::parse(record.text, "", replacements_of(record.replacements)));
  for (std::uint64_t job = 0; job < 8; ++job)
    EXPECT_EQ(read.job_at(job).position, points(sweep)[job]) << job;
  const SweepBegun again = begun(record.text, record.replacements);
  EXPECT_EQ(again.id, sweep.id);
  EXPECT_EQ(points(again), points(sweep));
}

TEST_F(BeginningTest, MeasuredAgainItIsTheOneThatTheSameFileMeans) {
  const SweepBegun first = begun(kText, today_);
  const SweepBegun again = begun(kText, today_, Again::all);
  EXPECT_NE(again.id, first.id);
  EXPECT_EQ(begun(kText, today_).id, again.id);
}

TEST_F(BeginningTest, AnotherTextOfTheSameNameIsAnotherSweep) {
  const SweepBegun first = begun(kText, today_);
  EXPECT_NE(begun(kText + "seed: 3\n", today_).id, first.id);
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

// So that what disturbs the machine at the same time of each run does not favour the same point.
TEST_F(BeginningTest, TheOrderIsDrawnForEachSweep) {
  const SweepBegun one = begun(kText, today_);
  const SweepBegun again = begun(kText, today_, Again::all);
  EXPECT_NE(one.id, again.id);
  EXPECT_NE(points(one), points(again));
  EXPECT_EQ(begun(kText, today_).id, again.id) << "what was drawn does not make it another sweep";
  EXPECT_EQ(points(begun(kText, today_)), points(again));
}

TEST_F(BeginningTest, OrASweepFixesItsOrder) {
  const std::string fixed = "set measure.order_seed=7\n" + today_;
  const SweepBegun one = begun(kText, fixed);
  EXPECT_EQ(one.replacements, fixed);
  EXPECT_EQ(points(begun(kText, fixed, Again::all)), points(one));
}

// For a finished sweep they are left out permanently; a stopped sweep continues.
TEST_F(BeginningTest, BlocksThatWereLeftOutStaySo) {
  const SweepBegun first = begun(kText, today_);
  EXPECT_EQ(first.blocks, std::nullopt);
  std::vector<test::Job> jobs;
  for (std::uint64_t job = 0; job < 40; ++job) jobs.emplace_back(first.id, job, std::vector{Value(1)});
  for (test::Job& job : jobs) test::good(store_.record(job.ready()));
  test::good(store_.commit());
  EXPECT_EQ(begun(kText, today_).blocks, std::nullopt);
  test::good(store_.finish_sweep(first.id, SweepState::finished, 1));
  EXPECT_EQ(begun(kText, today_).blocks, 5U);
  EXPECT_EQ(begun(kText, "set measure.processes=12\n" + today_).blocks, std::nullopt);
}

// Versions before drew the order by the sweep's seed, and their jobs have these numbers.
TEST_F(BeginningTest, AStoredSweepWithoutADrawnOrderKeepsTheOrderOfItsSeed) {
  const SweepBegun one = begun(kText, today_);
  test::good(test::good(sqlite::Connection::open(folder_.file("b.db"), sqlite::Connection::Mode::create))
                 .execute("update sweep set replacements = 'order shuffle' || char(10)"));
  const SweepBegun later = begun(kText, today_);
  EXPECT_EQ(later.id, one.id);
  const auto by_seed = test::good(Expansion::parse(kText, "", replacements_of(today_)));
  for (std::uint64_t job = 0; job < 8; ++job)
    EXPECT_EQ(by_seed.job_at(job).position, points(later)[job]) << job;
}

}  // namespace
}  // namespace kernsweep::coordinator
