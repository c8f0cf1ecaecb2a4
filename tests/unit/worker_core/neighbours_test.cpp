// Jobs that measure next to others: the number of others, and another measurement without them.
#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {
namespace {

class Neighbours : public CoreFixture {
 protected:
  // Slots 1 and 2 on cores 0 and 1, each alone on its core; slot 1 measures while slot 2 prepares.
  void side_by_side() {
    open(2);
    EXPECT_EQ(arrive({order(0, Exclusion::core), order(1, Exclusion::core)}),
              "start 1 key 0 on 0; start 2 key 0 on 1");
    EXPECT_EQ(ready(1), "run 1: 0");
    EXPECT_EQ(requests_lease(1), "grant 1");
    EXPECT_EQ(ready(2), "run 2: 1");
  }
};

TEST_F(Neighbours, ThatWorkedMeanwhileAreTold) {
  side_by_side();
  EXPECT_EQ(requests_lease(2), "grant 2");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1 beside 1");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2 beside 1");
}

TEST_F(Neighbours, AreThoseOfItsOwnJob) {
  side_by_side();
  EXPECT_EQ(requests_lease(2), "grant 2");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2 beside 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1 beside 1");
  EXPECT_EQ(arrive({order(2, Exclusion::core)}), "run 1: 2");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 2), "report 2 ok from 1") << "slot 2 is idle";
}

TEST_F(Neighbours, MustEndBeforeTheHostIsOnesOwn) {
  side_by_side();
  EXPECT_EQ(requests_whole_host(1), "") << "slot 2 prepares";
  EXPECT_EQ(arrive({order(2, Exclusion::core)}), "") << "and nobody begins where quiet is wanted";
  EXPECT_EQ(requests_lease(2), "grant 1") << "slot 1 waited first";
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1 beside 1; grant 2; run 1: 2");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2 beside 1");
}

TEST_F(Neighbours, LeaseOfTheWholeHostHasItsOwnTimeLimit) {
  open(2);
  Order first = order(0, Exclusion::core);
  first.run_timeout = 2s;
  EXPECT_EQ(arrive({first, order(1, Exclusion::core)}), "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(pass(1s), "");
  EXPECT_EQ(requests_whole_host(1), "") << "slot 2 still starts";
  EXPECT_EQ(pass(1s + 500ms), "") << "waiting counts against nobody";
  EXPECT_EQ(ready(2), "grant 1") << "slot 2 has nothing to do as long as quiet is wanted";
  EXPECT_EQ(pass(1s), "");
  EXPECT_EQ(pass(1s), "kill 1");
  EXPECT_EQ(exited(1),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 2 s); "
            "run 2: 1");
}

TEST_F(Neighbours, WholeHostIsForThoseWhoMeasureUnderALeaseOfTheirOwn) {
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(requests_whole_host(1), "") << "not up";
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_whole_host(1), "") << "has not measured";
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(requests_whole_host(1), "grant 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
  EXPECT_EQ(requests_whole_host(1), "") << "idle";
  EXPECT_EQ(requests_whole_host(9), "") << "nobody";
}

TEST_F(Neighbours, LeasedRunHasItsLeaseAndNoOther) {
  open(1);
  experienced(1ms);
  EXPECT_EQ(arrive({order(0)}), "run 1: 0 leased");
  EXPECT_EQ(requests_whole_host(1), "");
  EXPECT_EQ(measured(1, 0, 1ms), "report 0 ok from 1");
}

TEST_F(Neighbours, CrashWhileItWaitsForTheHostIsItsOwn) {
  side_by_side();
  EXPECT_EQ(requests_whole_host(1), "");
  EXPECT_EQ(exited(1), "report 0 signal from 1 (killed by SIGSEGV)");
  EXPECT_EQ(requests_lease(2), "grant 2");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2");
}

TEST_F(Neighbours, JobCancelledWhileItWaitsForTheHostComesBack) {
  side_by_side();
  EXPECT_EQ(requests_whole_host(1), "");
  EXPECT_EQ(tell(JobsCancelled{{attempt(0)}}), "kill 1; return 0");
  EXPECT_EQ(exited(1), "");
  EXPECT_EQ(requests_lease(2), "grant 2");
}

}  // namespace
}  // namespace kernsweep::worker
