#include "worker/slot/watch/gpu_watch.hpp"

#include <gmock/gmock.h>

namespace kernsweep::testing_slot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CountedMetric counted(const char* name, double value) {
  return {name, value, Better::unknown, ""};
}

class FakeMeter : public GpuMeter {
 public:
  GpuReading read() override {
    ++reads;
    return reading;
  }
  GpuReading reading;
  int reads = 0;
};

constexpr std::uint64_t kIdle = 0x1, kSet = 0x2, kPowerCap = 0x4, kTooHot = 0x40;

class GpuWatchTest : public testing::Test {
 protected:
  void set(double mhz, double degrees, double joules, std::uint64_t slowed_by = 0) {
    meter_.reading = {mhz, 3201, degrees, joules, slowed_by, errors_, others_};
  }
  Instant at(Duration time) { return Instant{100s + time}; }

  // Looks at these clocks, a tenth of a second apart, at the limit of the power.
  GpuSection at_power_limit(const std::vector<double>& mhz) {
    set(mhz.front(), 60, 1000, kPowerCap);
    watch_.begin(at(0s));
    Duration time{};
    for (const double each : mhz) {
      set(each, 60, 1000, kPowerCap);
      watch_.look(at(time += 100ms));
    }
    return watch_.end(at(time));
  }

  FakeMeter meter_;
  std::optional<std::uint64_t> errors_, others_;
  GpuWatch watch_{meter_};
};

TEST_F(GpuWatchTest, SumsUpWhatItSaw) {
  set(1980, 40, 1000);
  watch_.begin(at(0s));
  set(1500, 70, 1300, kPowerCap);
  watch_.look(at(500ms));
  set(1900, 60, 1700, kIdle);
  const GpuSection seen = watch_.end(at(1s));
  EXPECT_THAT(metrics_of(seen, 10),
              ElementsAre(counted("gpu_clock_mhz", 1900), counted("gpu_clock_low_mhz", 1500),
                          counted("gpu_memory_clock_mhz", 3201), counted("gpu_temperature_c", 70),
                          counted("gpu_energy_j", 70), counted("gpu_power_w", 700)));
  EXPECT_THAT(complaints(seen),
              ElementsAre("the GPU was slowed down by sw_power_cap in 33 % of the looks at it"));
}

// The counters of cards go on every 20 to 100 ms.
TEST_F(GpuWatchTest, OfLessThanASecondNoEnergyIsTold) {
  set(1980, 40, 1000);
  watch_.begin(at(0s));
  set(1980, 40, 1300);
  const GpuSection seen = watch_.end(at(999ms));
  EXPECT_EQ(seen.energy_j, std::nullopt);
  EXPECT_EQ(seen.power_w, std::nullopt);
}

TEST_F(GpuWatchTest, LooksSomeTenTimesASecond) {
  watch_.begin(at(0s));
  for (int ms = 1; ms <= 1000; ++ms) watch_.look(at(std::chrono::milliseconds(ms)));
  EXPECT_EQ(meter_.reads, 11);
}

TEST_F(GpuWatchTest, WhatWasBeforeAFreshStartDoesNotCount) {
  set(1000, 90, 0, kTooHot);
  watch_.begin(at(0s));
  set(1980, 50, 100);
  watch_.begin(at(1s));
  const GpuSection seen = watch_.end(at(2s));
  EXPECT_EQ(seen.clock_low_mhz, 1980);
  EXPECT_EQ(seen.energy_j, 0);
  EXPECT_THAT(complaints(seen), IsEmpty());
}

TEST_F(GpuWatchTest, AClockThatSomebodyHasSetIsNoComplaint) {
  set(1200, 50, 0, kSet | kIdle);
  watch_.begin(at(0s));
  EXPECT_THAT(complaints(watch_.end(at(1s))), IsEmpty());
}

TEST_F(GpuWatchTest, TheLimitOfThePowerIsNormalAsLongAsTheClockIsSteady) {
  EXPECT_THAT(complaints(at_power_limit({1485, 1470, 1500, 1485, 1470, 1490})), IsEmpty());
  EXPECT_THAT(complaints(at_power_limit({1980, 1980, 1700, 1500, 1485, 1485})),
              ElementsAre("the GPU was slowed down by sw_power_cap in 100 % of the looks at it"));
  EXPECT_THAT(complaints(at_power_limit({1485})),
              ElementsAre("the GPU was slowed down by sw_power_cap in 100 % of the looks at it"));
}

TEST_F(GpuWatchTest, ErrorsOfItsMemoryAndOtherProcessesAreReported) {
  errors_ = 7;
  set(1980, 40, 0);
  watch_.begin(at(0s));
  others_ = 1;
  set(1980, 40, 0);
  watch_.look(at(100ms));
  errors_ = 8;
  others_ = 0;
  set(1980, 40, 0);
  EXPECT_THAT(complaints(watch_.end(at(200ms))),
              ElementsAre("the GPU's memory had 1 error that ECC could not correct while it was sampled",
                          "the GPU was shared with 1 other process"));
}

TEST_F(GpuWatchTest, WhatIsNotToldIsLeftOut) {
  watch_.begin(at(0s));
  EXPECT_THAT(metrics_of(watch_.end(at(1s)), 0), IsEmpty());
  meter_.reading.energy_j = 5;  // known from now on only
  EXPECT_EQ(watch_.end(at(2s)).energy_j, std::nullopt);
}

}  // namespace
}  // namespace kernsweep::testing_slot
