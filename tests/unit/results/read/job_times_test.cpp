#include "results/read/job_times.hpp"

#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;

struct JobTimesTest : test::QueryTest {
  void put_ended(double end, double setup, double wait, double run, bool final = true) {
    Job made = job({1}, 1e-3);
    made.record.finished_unix_s = end;
    made.record.setup_s = setup;
    made.record.lease_wait_s = wait;
    made.record.run_s = run;
    made.record.final = final;
    put(made);
  }
  std::optional<JobTimes> times(const SweepRecord& of) {
    Reader r = reader();
    return good(job_times(r, of));
  }
};

// The second job was prepared while the first one ran; after a pause of 90 s a job was tried twice.
TEST_F(JobTimesTest, CountTimeInWhichAJobWasUnderWayOnce) {
  SweepRecord record = test::sweep_named("s", {"a"});
  record.kernel = "gemm";
  begin(record);
  put_ended(1003, 1, 0, 2);
  put_ended(1005, 2, 1, 2);
  put_ended(1004, 0, 0, 1);
  put_ended(1098, 1, 0, 2, false);
  put_ended(1101, 1, 0, 2);
  const auto found = times(record);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sweep, "s@1");
  EXPECT_EQ(found->jobs, 4U);
  EXPECT_DOUBLE_EQ(found->each_s, (5.0 + 3 + 3) / 4);
  EXPECT_TRUE(found->same);
  SweepRecord other = record;
  other.replacements = "axis a=[2]\n";
  EXPECT_FALSE(times(other)->same) << "other points";
  EXPECT_EQ(times(other)->jobs, 4U);
  other = record;
  other.kernel = "stream";
  EXPECT_FALSE(times(other));
}

// Which order was drawn makes no difference, but the newest sweep of other points does.
TEST_F(JobTimesTest, AreThoseOfTheSamePointsInAnyOrder) {
  SweepRecord record = test::sweep_named("s", {"a"});
  record.kernel = "gemm";
  record.replacements = "order shuffle\norder_seed 17\n";
  begin(record);
  put_ended(1003, 1, 0, 2);
  SweepRecord other = record;
  other.replacements = "order shuffle\nquick\norder_seed 18\n";
  begin(other);
  put_ended(2003, 1, 0, 2);
  record.replacements = "order shuffle\n";
  const auto found = times(record);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->same);
  EXPECT_EQ(found->sweep, "s@1");
}

TEST_F(JobTimesTest, OfASweepWithoutAnAttemptAreNotKnown) {
  SweepRecord record = test::sweep_named("s", {"a"});
  record.kernel = "gemm";
  begin(record);
  EXPECT_FALSE(times(record));
}

}  // namespace
}  // namespace kernsweep
