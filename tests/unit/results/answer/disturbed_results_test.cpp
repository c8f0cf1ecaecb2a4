// Results measured under disturbance count, with the time that the disturbance may have added.
#include "results/answer/disturbed_results.hpp"

#include "results/answer/best/best.hpp"
#include "results/answer/compare/compare.hpp"
#include "tests/unit/results/answer/compare_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::QueryTest;

TEST(DisturbedResults, CostAsMuchAsTheShareOfDisturbedSamplesAllows) {
  DisturbedTimes times{.min_s = 1, .q1_s = 2, .median_s = 4, .samples_taken = 100, .samples_disturbed = 25};
  times.cause = DoubtCause::switched;
  EXPECT_DOUBLE_EQ(what_it_may_have_cost(times), std::log(2));  // a quarter: the first quartile
  times.least_s = 1.5;
  EXPECT_DOUBLE_EQ(what_it_may_have_cost(times), std::log(4 / 1.5)) << "what each sample lost is known";
  times.least_s = 0;
  times.samples_disturbed = 26;
  EXPECT_DOUBLE_EQ(what_it_may_have_cost(times), std::log(4));
  // The whole job shared its cores: no sample is known to be clean.
  times.samples_disturbed = 1;
  times.cause = DoubtCause::others;
  EXPECT_DOUBLE_EQ(what_it_may_have_cost(times), std::log(4));
  times.min_s = times.q1_s = 0;
  EXPECT_EQ(what_it_may_have_cost(times), 0);
}

TEST(DisturbedResults, AreCountedOverTheirCauses) {
  EXPECT_EQ(disturbed_samples("clock 12, switched 40"), 52U);
  EXPECT_EQ(disturbed_samples("major fault 3"), 3U);
  EXPECT_EQ(disturbed_samples(""), 0U);
}

// 12 blocks: `slow` takes 3 ms, and was disturbed in every second block; its fastest samples took 2 ms.
// `fast` takes 1.5 ms, and 2.5 ms in the two blocks in which it was disturbed.
TEST_F(QueryTest, DisturbedProcessesDecideWithTheirIntervals) {
  begin("s", {"variant"});
  for (std::uint32_t block = 0; block < 12; ++block)
    for (const char* variant : {"slow", "fast"}) {
      const bool slow = std::string(variant) == "slow";
      const bool disturbed = slow ? block % 2 == 0 : block < 2;
      Job made = job({variant}, (slow ? 3e-3 : disturbed ? 2.5e-3 : 1.5e-3) * (1 + 0.001 * block));
      made.record.point = slow ? 0 : 1;
      made.record.process = block;
      made.record.summary->min = slow ? 2e-3 : 1.4e-3;
      if (disturbed) made.record.grade = 'C', made.record.doubt_cause = DoubtCause::others;
      put(made);
    }
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(answer.rows[0].variant, Value("fast"));
  EXPECT_EQ(answer.rows[0].verdict, ContestVerdict::wins);
  EXPECT_EQ(answer.rows[0].processes, 12U);
  EXPECT_EQ(answer.rows[0].processes_disturbed, 2U);
  EXPECT_GT(answer.rows[0].times_better_bounds.low, 1.01);
  EXPECT_LT(answer.rows[0].times_better_bounds.low, 1.7);  // 2 over 1.5, and 3 over 1.5
  EXPECT_EQ(answer.disturbed_jobs, 8U);
  EXPECT_EQ(answer.disturbed_points, 0U);
  EXPECT_EQ(answer.left_out(), 0U);
  const CompareQuestion question{.a = test::side("variant=fast"), .b = test::side("variant=slow")};
  const CompareAnswer pair = good(compare(r, r, question));
  EXPECT_EQ(pair.verdict, TimeVerdict::slower);
  EXPECT_EQ(pair.a.disturbed, 2U);
  EXPECT_EQ(pair.b.disturbed, 6U);
  EXPECT_EQ(pair.a.graded_below, 0U);
}

}  // namespace
}  // namespace kernsweep
