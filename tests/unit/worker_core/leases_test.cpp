// Which slots may measure, and which must be quiet meanwhile.
#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {
namespace {

using Leases = CoreFixture;

TEST_F(Leases, LeaseWaitsForPreparationsInItsZone) {
  open(2);
  EXPECT_EQ(arrive({order(0), order(1)}), "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "") << "slot 2 still starts";
  // Slot 2 is up, but would prepare where slot 1 needs quiet: it waits, and so slot 1 measures at once.
  EXPECT_EQ(ready(2), "grant 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; run 2: 1");
  EXPECT_EQ(requests_lease(2), "grant 2");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2");
}

TEST_F(Leases, RequestedLeaseKeepsNewPreparationsAway) {
  open(2);
  EXPECT_EQ(arrive({order(0), order(1)}), "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(requests_lease(1), "") << "slot 2 still prepares";
  EXPECT_EQ(requests_lease(2), "grant 1") << "both are prepared: the one that waited longer first";
  EXPECT_EQ(arrive({order(2)}), "");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; grant 2") << "job 2 may not prepare while slot 2 waits";
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2; run 1: 2");
}

// A slot that looks at what its calls left works, but holds no lease.
TEST_F(Leases, AReturnedLeaseLetsOthersPrepareAndNotMeasure) {
  open(2);
  EXPECT_EQ(arrive({order(0), order(1), order(2)}), "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "");
  EXPECT_EQ(ready(2), "grant 1");
  EXPECT_EQ(returns_lease(1), "run 2: 1") << "it may prepare now";
  EXPECT_EQ(returns_lease(1), "") << "it has none";
  EXPECT_EQ(requests_lease(2), "") << "slot 1 still works";
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; grant 2");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2; run 1: 2");
}

TEST_F(Leases, WhatIsCheckedHasTheLimitOfWhatIsMeasured) {
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(returns_lease(1), "");
  EXPECT_EQ(pass(order(0).run_timeout + 1ms).substr(0, 6), "kill 1");
}

TEST_F(Leases, CoresThatShareNothingMeasureSideBySide) {
  open(4);
  EXPECT_EQ(arrive({order(0, Exclusion::cache, 2), order(1, Exclusion::cache, 2)}),
            "start 1 key 0 on 0,1; start 2 key 0 on 2,3");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(requests_lease(2), "grant 2");
}

TEST_F(Leases, WantOfTheWholeHostIsNotStarvedByWantsOfSingleCores) {
  open(3);
  EXPECT_EQ(arrive({order(0), order(1, Exclusion::core), order(2, Exclusion::core)}),
            "start 1 key 0 on 0; start 2 key 0 on 1; start 3 key 0 on 2");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(ready(3), "run 3: 2");
  EXPECT_EQ(requests_lease(1), "");
  EXPECT_EQ(requests_lease(2), "") << "its core is quiet, but slot 1 waited first and needs it quiet too";
  EXPECT_EQ(requests_lease(3), "grant 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; grant 2; grant 3");
  EXPECT_EQ(measured(3, 2), "report 2 ok from 3 beside 1");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2 beside 1");
}

TEST_F(Leases, SharedCacheIsOneZone) {
  open(2);
  EXPECT_EQ(arrive({order(0, Exclusion::cache), order(1, Exclusion::cache)}),
            "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(requests_lease(1), "");
  EXPECT_EQ(requests_lease(2), "grant 1");
}

TEST_F(Leases, WhatIsNotKnownOfTheMachineIsAssumedShared) {
  HostLayout bare;
  bare.cores = 2;
  core = std::make_unique<Core>(bare, options);
  EXPECT_EQ(arrive({order(0, Exclusion::numa), order(1, Exclusion::numa)}),
            "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "");
  EXPECT_EQ(ready(2), "grant 1");
}

TEST_F(Leases, KilledSlotKeepsItsLeaseUntilItIsGone) {
  open(1);
  Order first = order(0);
  first.run_timeout = 2s;
  EXPECT_EQ(arrive({first, order(1)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(pass(2s), "kill 1");
  EXPECT_EQ(pass(1s), "");
  EXPECT_EQ(exited(1),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 2 s); "
            "start 2 key 0 on 0");
}

TEST_F(Leases, LeaseAskedTwiceOrByNobodyIsGrantedOnce) {
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(requests_lease(1), "") << "not up yet";
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(requests_lease(1), "");
  EXPECT_EQ(requests_lease(9), "");
}

}  // namespace
}  // namespace kernsweep::worker
