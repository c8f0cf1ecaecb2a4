// A process that was killed and does not go, because it waits in the kernel: state D of ps.
#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {
namespace {

const std::string kNotGone = " was killed, and is not gone after 60 s";

class Unkillable : public CoreFixture {
 protected:
  // One job each on the first cores, as slots 1, 2 ...; all measure, alone on their cores.
  void all_measure(std::uint32_t jobs) {
    std::vector<Order> orders;
    for (std::uint64_t index = 0; index < jobs; ++index) orders.push_back(order(index, Exclusion::core));
    arrive(orders);
    for (std::uint32_t slot = 1; slot <= jobs; ++slot) {
      EXPECT_EQ(ready(slot), "run " + std::to_string(slot) + ": " + std::to_string(slot - 1));
      EXPECT_EQ(requests_lease(slot), "grant " + std::to_string(slot));
    }
  }
  // Waits as long as for a process that was killed.
  std::string pass_its_end() {
    EXPECT_EQ(pass(60s), "") << "the news that it has gone may be on its way";
    return pass(1s);
  }
  static std::string cores_given_up(const std::string& cores) {
    return "give up cores " + cores + " (a process that ran there" + kNotGone + ")";
  }
};

TEST_F(Unkillable, ItsJobEndsByItsLimitAndItsCoresAreGivenUp) {
  open(2);
  all_measure(1);
  EXPECT_EQ(pass(120s), "kill 1");
  EXPECT_EQ(pass_its_end(),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 120 s; its "
            "process" +
                kNotGone + "); " + cores_given_up("0"));
}

TEST_F(Unkillable, TheLeaseThatItKeptAwayIsGrantedThen) {
  open(2);
  all_measure(1);
  EXPECT_EQ(arrive({order(1, Exclusion::host)}), "start 2 key 0 on 1");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(pass(30s), "");
  EXPECT_EQ(requests_lease(2), "") << "slot 1 works on one of the cores that the lease would cover";
  EXPECT_EQ(pass(90s), "kill 1");
  EXPECT_EQ(pass_its_end(),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 120 s; its "
            "process" +
                kNotGone + "); " + cores_given_up("0") + "; grant 2");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2");
}

TEST_F(Unkillable, WhoStoodStillHimselfHearsThatItHasGoneFirst) {
  open(1);
  all_measure(1);
  EXPECT_EQ(pass(120s), "kill 1");
  EXPECT_EQ(pass(60s + 500ms), "") << "of which this process slept nearly all";
  EXPECT_EQ(exited(1, "killed by SIGKILL"),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 120 s)");
  EXPECT_EQ(arrive({order(1)}), "start 2 key 0 on 0");
}

TEST_F(Unkillable, WhilePreparingItIsATimeoutOfTheSetup) {
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(pass(60s), "kill 1");
  EXPECT_EQ(pass_its_end(),
            "report 0 timeout_setup from 1 (preparation and verification took longer than timeout.setup: "
            "60 s; its process" +
                kNotGone + "); " + cores_given_up("0"));
}

TEST_F(Unkillable, WhileStartingItIsNotTriedOnTheNextCores) {
  open(2);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(pass(60s), "kill 1");
  EXPECT_EQ(
      pass_its_end(),
      "report 0 timeout_setup from 1 (the slot's process was not ready within timeout.setup: 60 s; its "
      "process" +
          kNotGone + "); " + cores_given_up("0"));
}

TEST_F(Unkillable, JobsThatNeedMoreCoresThanAreLeftGoBack) {
  open(2);
  all_measure(1);
  EXPECT_EQ(arrive({order(1, Exclusion::core, 2)}), "");
  EXPECT_EQ(pass(120s), "kill 1");
  EXPECT_EQ(pass_its_end(),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 120 s; its "
            "process" +
                kNotGone + "); " + cores_given_up("0") + "; return 1");
  EXPECT_EQ(arrive({order(3, Exclusion::core, 2)}), "return 3") << "sent before the coordinator knew";
  EXPECT_EQ(
      arrive({order(4, Exclusion::core, 3)}),
      "report 4 failed_setup (the job asks for 3 cores, this worker has 2; start the worker with more "
      "cores)");
  EXPECT_EQ(arrive({order(5)}), "start 2 key 0 on 1");
}

TEST_F(Unkillable, NoJobIsBegunThereAgainEvenIfItGoesAfterAll) {
  open(2);
  all_measure(1);
  EXPECT_EQ(pass(120s), "kill 1");
  pass_its_end();
  EXPECT_EQ(exited(1, "killed by SIGKILL"), "");
  EXPECT_EQ(arrive({order(1, Exclusion::core), order(2, Exclusion::core)}), "start 2 key 0 on 1");
}

TEST_F(Unkillable, ALeaseOfTheWholeHostWaitsForWhoIsStillAtWorkOnAGivenUpCore) {
  options.idle_slots_max = 0;
  open(2);
  all_measure(1);
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; retire 1");
  std::vector<Order> patient = {order(1, Exclusion::core), order(2)};
  for (Order& each : patient) each.setup_timeout = 500s;
  EXPECT_EQ(arrive(patient), "start 2 key 0 on 0; start 3 key 0 on 1");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(ready(3), "run 3: 2");
  EXPECT_EQ(pass(5s), "kill 1");
  EXPECT_EQ(pass_its_end(), cores_given_up("0"));
  EXPECT_EQ(requests_lease(3), "") << "slot 2 prepares on core 0";
  EXPECT_EQ(tell(OutcomesMeasured{{{SlotId{2}, attempt(1), Outcome::unsupported, 1s, 7}}}),
            "report 1 unsupported from 2; grant 3");
  EXPECT_EQ(measured(3, 2), "report 2 ok from 3; retire 2; retire 3");
}

TEST_F(Unkillable, OneKilledForACancelledJobLeavesTheOthersOfItsRunWithoutBlame) {
  open(1);
  experienced(1ms);
  EXPECT_EQ(arrive({order(0), order(1)}), "run 1: 0 1 leased");
  EXPECT_EQ(tell(JobsCancelled{{attempt(0)}}), "kill 1; return 0");
  EXPECT_EQ(pass_its_end(), cores_given_up("0") + "; return 1") << "there is no core left for it";
}

TEST_F(Unkillable, OneThatWasToLeaveTakesItsCoresFromNobodyWhoIsAtWorkThere) {
  options.idle_slots_max = 0;
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; retire 1");
  EXPECT_EQ(arrive({order(1)}), "start 2 key 0 on 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(requests_lease(2), "") << "leaving is work";
  EXPECT_EQ(pass(5s), "kill 1");
  EXPECT_EQ(pass_its_end(), cores_given_up("0") + "; grant 2");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2; retire 2");
}

}  // namespace
}  // namespace kernsweep::worker
