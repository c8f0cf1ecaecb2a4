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
  SweepRecord other = record;
  other.replacements = "axis a=[2]\n";
  EXPECT_FALSE(times(other)) << "other points";
  other = record;
  other.kernel = "stream";
  EXPECT_FALSE(times(other));
}

TEST_F(JobTimesTest, OfASweepWithoutAnAttemptAreNotKnown) {
  SweepRecord record = test::sweep_named("s", {"a"});
  record.kernel = "gemm";
  begin(record);
  EXPECT_FALSE(times(record));
}

}  // namespace
}  // namespace kernsweep
