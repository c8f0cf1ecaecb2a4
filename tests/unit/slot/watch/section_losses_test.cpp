// Losses of a section to others that are known only later: to those on the core of a program's processes,
// and to threads of the job that share one.
#include <gtest/gtest.h>

#include "tests/unit/slot/watch/fake_gauges.hpp"
#include "worker/slot/watch/section_watch.hpp"

namespace kernsweep::testing_slot {
namespace {

class SectionLosses : public testing::Test {
 protected:
  SectionLosses() {
    rules_.samples = {1, 1000, 0s, 3600s};
    rules_.stop = {0, false};
  }
  // Returns whether the first call of the warm-up was enough.
  bool begin(std::uint32_t threads, TimedBy timed_by = TimedBy::host) {
    watch_.emplace(gauges_, rules_, threads, best_, 1, timed_by);
    ledger_.emplace(rules_);
    watch_->begin();
    const bool is_settled = watch_->clock_settled();
    watch_->begin_sampling();
    return is_settled;
  }
  // A window of one sample that takes this long.
  void window(Duration took) {
    gauges_.time = gauges_.time + took;
    ledger_->add(seconds(took), took);
    watch_->close_window(*ledger_);
  }

  MeasureRules rules_;
  FakeGauges gauges_;
  double best_ = 0;
  std::optional<SectionWatch> watch_;
  std::optional<SampleLedger> ledger_;
};

// Programs of several processes, which the system took a core away from in each window; 10 of 20 ms are
// left.
TEST_F(SectionLosses, SuspectedWindowsCountIfOthersComputedOnTheCore) {
  for (const bool others : {false, true}) {
    gauges_.reading = {0, 0, 0, 0, {1, 0, 1, 0, 0}};
    gauges_.usage.cpu_s = 0;
    gauges_.host = HostTimes{.own = 1};
    begin(1);
    for (int i = 0; i < 10; ++i) {
      gauges_.reading.schedule.at_s += 0.02;
      gauges_.reading.schedule.children_s += 0.01;
      gauges_.reading.switches_of_children += 1;
      gauges_.usage.cpu_s += 0.01;
      gauges_.host->own_busy_s += others ? 0.02 : 0.01;
      watch_->note_program(-1);
      window(20ms);
    }
    watch_->last_look(*ledger_);
    const SectionConditions seen = watch_->end(*ledger_);
    EXPECT_EQ(listed(seen.causes), others ? "switched 10" : "");
  }
}

// Two threads. In the spans of 20 ms that are named each of them waits for this share of the time.
TEST_F(SectionLosses, ThreadsThatShareACoreDisturbTheirWindows) {
  const auto after = [&](const std::vector<double>& shares) {
    gauges_.host = HostTimes{.own = 2};
    gauges_.thread_waits = {{1, 5, 0, 0}, {2, 5, 0, 0}};
    begin(2);
    for (const double share : shares)
      for (int i = 0; i < 10; ++i) {
        for (ThreadWait& each : gauges_.thread_waits) {
          each.ran_s += 2e-3 * (1 - share);
          each.waited_s += 2e-3 * share;
          each.turns += i % 2;
        }
        window(2ms);
      }
    return listed(watch_->end(*ledger_).causes);
  };
  EXPECT_EQ(after({0.5, 0, 0}), "switched 10");
  EXPECT_EQ(ledger_->least_median(), 1) << "of a third of the windows";
  EXPECT_EQ(after({0, 0.1, 0.1}), "switched 20");
  EXPECT_NEAR(ledger_->least_median(), 0.8, 1e-6) << "a tenth of each of the two";
  EXPECT_EQ(after({0, 0.3, 0.3}), "switched 20");
  EXPECT_EQ(ledger_->least_median(), 0) << "not known from one half on";
}

// A host that disturbs each window in each way.
TEST_F(SectionLosses, NothingOfTheHostIsALossOfWhatADeviceMeasures) {
  for (const TimedBy timed_by : {TimedBy::host, TimedBy::device}) {
    const bool on_host = timed_by == TimedBy::host;
    gauges_ = FakeGauges();
    gauges_.clock = [](int probe) { return probe % 2 == 0 ? 3.0 : 2.0; };
    EXPECT_EQ(begin(1, timed_by), !on_host);
    for (int i = 0; i < 30; ++i) {
      gauges_.reading.involuntary_switches += 10;
      gauges_.host->own_steal_s += 0.001;
      gauges_.host->busy_s += 10;
      gauges_.throttled.periods += 1;
      gauges_.throttled.stopped_s += 0.01;
      gauges_.usage.minor_faults += 10'000;
      window(2ms);
    }
    watch_->last_look(*ledger_);
    const SectionConditions seen = watch_->end(*ledger_);
    EXPECT_EQ(doubt(seen).has_value(), on_host);
    EXPECT_EQ(seen.throttled.has_value(), on_host);
    EXPECT_EQ(complaints(seen, rules_).empty(), !on_host);
    EXPECT_FALSE(!on_host && (crowding(seen) || another_try_may_help(seen, rules_)));
  }
}

}  // namespace
}  // namespace kernsweep::testing_slot
