// The shell's way of applying events, with the real core behind it.
#include "worker/event_queue.hpp"

#include <gtest/gtest.h>

namespace kernsweep::worker {
namespace {

constexpr AttemptId attempt(std::uint64_t index) {
  return {{SweepId{1}, index, 0}, 1};
}

Order order(std::uint64_t index) {
  Order made;
  made.attempt = attempt(index);
  made.alone_on = Exclusion::core;
  return made;
}

// Two cores on which no process can be started: the shell says so while it obeys the order to start one.
class NothingStarts {
 public:
  void apply(Event event) {
    events_.add(std::move(event), [this](const Event& next) {
      ++depth_;
      deepest = std::max(deepest, depth_);
      std::vector<Action> actions;
      core.apply(Instant{1s}, next, actions);
      for (const Action& action : actions) {
        told.push_back(action.index());
        if (const auto* start = std::get_if<StartSlot>(&action))
          apply(SlotExited{start->slot, Outcome::failed_setup, "no memory"});
      }
      told.push_back(kEventEnds);
      --depth_;
    });
  }

  static constexpr std::size_t kEventEnds = 1000;
  Core core{HostLayout{2, {}, {}, 0}, WorkerOptions{}};
  std::vector<std::size_t> told;  // which kind of order each one was
  int deepest = 0;

 private:
  EventQueue events_;
  int depth_ = 0;
};

TEST(EventQueue, AllOrdersOfAnEventAreObeyedBeforeTheNextEventIsApplied) {
  NothingStarts shell;
  shell.apply(JobsArrived{{order(0), order(1)}});
  const std::size_t start = Action(StartSlot{}).index();
  ASSERT_GE(shell.told.size(), 3U);
  EXPECT_EQ(shell.told[0], start);
  EXPECT_EQ(shell.told[1], start) << "the first one's failure has waited";
  EXPECT_EQ(shell.told[2], NothingStarts::kEventEnds);
}

TEST(EventQueue, HoweverManyFollowNoneIsAppliedWithinAnother) {
  NothingStarts shell;
  JobsArrived many;
  for (std::uint64_t index = 0; index < 1000; ++index) many.orders.push_back(order(index));
  shell.apply(std::move(many));
  EXPECT_EQ(shell.deepest, 1);
  EXPECT_EQ(shell.core.activity().held, 0U) << "each has its outcome";
}

}  // namespace
}  // namespace kernsweep::worker
