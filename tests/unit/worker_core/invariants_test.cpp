// Each table of the core is broken once: the check must report the violation by its name.
#include "tests/unit/worker_core/gpu_core_fixture.hpp"
#include "worker/core/state.hpp"

namespace kernsweep::worker {

struct CoreInside {
  using State = Core::State;
  static State& of(Core& core) { return *core.state_; }
};

namespace {

class Invariants : public GpuCoreFixture {
 protected:
  // On four cores and two GPUs: slot 1 measures job 0, slot 2 waits for the lease with job 1, slot 3
  // prepares job 2, job 3 waits for two GPUs; the outcome of job 4 is kept back, and GPU 0 is being asked.
  void SetUp() override {
    open(4, 2);
    EXPECT_EQ(arrive({on_gpus(4, 1)}), "start 1 key 0 on 0 gpu 0");
    EXPECT_EQ(ready(1), "run 1: 4");
    EXPECT_EQ(lost(1, 4), "keep back: report 4 failed_run from 1; retire 1");
    EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0");
    EXPECT_EQ(arrive({order(0, Exclusion::cache, 1, 7), order(1, Exclusion::cache, 1, 8),
                      order(2, Exclusion::core, 1, 9), on_gpus(3, 2)}),
              "start 2 key 7 on 0; start 3 key 8 on 1; start 4 key 9 on 2");
    EXPECT_EQ(ready(2), "run 2: 0");
    EXPECT_EQ(ready(3), "run 3: 1");
    EXPECT_EQ(ready(4), "run 4: 2");
    EXPECT_EQ(requests_lease(2), "");
    EXPECT_EQ(requests_lease(3), "grant 2");
    EXPECT_EQ(core->check_invariants(), std::nullopt);
  }

  CoreInside::State& inside() { return CoreInside::of(*core); }
  Slot& slot(std::uint32_t id) { return inside().slots.at(SlotId{id}); }
  std::optional<Invariant> violated() {
    const auto found = inside().violation();
    return found ? std::optional(found->broken) : std::nullopt;
  }
};

TEST_F(Invariants, AJobIsInOnePlace) {
  inside().queue.push_back(slot(2).run.front());
  EXPECT_EQ(violated(), Invariant::job_in_two_places);
}

TEST_F(Invariants, AJobThatIsKeptBackIsNowhereElse) {
  inside().kept_back.push_back(inside().kept_back.front());
  EXPECT_EQ(violated(), Invariant::job_in_two_places);
}

TEST_F(Invariants, AJobThatIsHereIsSomewhere) {
  inside().queue.clear();
  EXPECT_EQ(violated(), Invariant::job_lost);
}

TEST_F(Invariants, AJobThatIsSomewhereIsHere) {
  inside().here.erase(attempt(2));
  EXPECT_EQ(violated(), Invariant::job_not_here);
}

TEST_F(Invariants, NoJobWaitsForWhatNoLongerComes) {
  inside().all_units.reset(kCoresMax + 1);
  EXPECT_EQ(violated(), Invariant::job_never_fits);
}

TEST_F(Invariants, ACoreIsOwnedOnce) {
  slot(3).units = slot(2).units;
  EXPECT_EQ(violated(), Invariant::units_owned_twice);
}

TEST_F(Invariants, ASlotHasAsManyCoresAsItsJobAsksFor) {
  slot(4).units.set(3);
  EXPECT_EQ(violated(), Invariant::units_miscounted);
}

TEST_F(Invariants, ASlotHasAsManyGpusAsItsJobAsksFor) {
  slot(4).run.front().order.gpus = 1;
  EXPECT_EQ(violated(), Invariant::units_miscounted);
}

TEST_F(Invariants, NoUnitIsFromElsewhere) {
  inside().all_units.set(4);
  EXPECT_EQ(violated(), Invariant::units_miscounted);
}

TEST_F(Invariants, AJobOfABlockIsOnTheCoresOfItsBlock) {
  slot(4).run.front().order.block = 2;
  EXPECT_EQ(violated(), std::nullopt) << "slot 4 is on core 2";
  slot(4).run.front().order.block = 3;
  EXPECT_EQ(violated(), Invariant::off_its_block);
}

TEST_F(Invariants, WhoMeasuresHasAJob) {
  inside().here.erase(attempt(0));
  slot(2).run.clear();
  EXPECT_EQ(violated(), Invariant::run_mismatch);
}

TEST_F(Invariants, WhoMeasuresHoldsTheLease) {
  slot(2).holds_lease = false;
  EXPECT_EQ(violated(), Invariant::lease_mismatch);
}

TEST_F(Invariants, WhoPreparesHoldsNone) {
  slot(4).holds_lease = true;
  EXPECT_EQ(violated(), Invariant::lease_mismatch);
}

TEST_F(Invariants, WhoWaitsForALeaseIsOnTheList) {
  inside().lease_requests.clear();
  EXPECT_EQ(violated(), Invariant::request_mismatch);
}

TEST_F(Invariants, WhoIsOnTheListWaitsForALease) {
  inside().lease_requests.push_back(SlotId{4});
  EXPECT_EQ(violated(), Invariant::request_mismatch);
}

TEST_F(Invariants, WhoIsGoneIsNotOnTheList) {
  inside().lease_requests.push_back(SlotId{77});
  EXPECT_EQ(violated(), Invariant::request_mismatch);
}

TEST_F(Invariants, ALeaseCoversItsSlot) {
  slot(2).zone.reset();
  EXPECT_EQ(violated(), Invariant::zone_too_small);
}

TEST_F(Invariants, TwoLeasesDoNotMeet) {
  slot(4).state = SlotState::measuring;
  slot(4).holds_lease = true;
  slot(4).zone = slot(4).units | slot(2).units;
  EXPECT_EQ(violated(), Invariant::leases_meet);
}

TEST_F(Invariants, NobodyWorksBesideALease) {
  slot(2).zone |= slot(4).units;
  EXPECT_EQ(violated(), Invariant::work_beside_lease);
}

TEST_F(Invariants, WhatWorksHasALimit) {
  slot(4).deadline.reset();
  EXPECT_EQ(violated(), Invariant::no_limit);
}

TEST_F(Invariants, WhatIsKeptBackWaitsForAGpuThatIsAsked) {
  inside().in_doubt.reset();
  EXPECT_EQ(violated(), Invariant::doubt_lost);
}

TEST_F(Invariants, AGpuThatWasGivenUpIsNotAsked) {
  inside().queue.clear();
  inside().here.erase(attempt(3));
  inside().all_units.reset(kCoresMax);
  EXPECT_EQ(violated(), Invariant::doubt_lost);
}

TEST_F(Invariants, DrainedIsToldWhenNoJobIsHere) {
  inside().drained = true;
  EXPECT_EQ(violated(), Invariant::drained_early);
}

TEST_F(Invariants, TheCoreSaysItInWords) {
  slot(4).deadline.reset();
  EXPECT_EQ(core->check_invariants(), "no_limit: slot 4");
}

}  // namespace
}  // namespace kernsweep::worker
