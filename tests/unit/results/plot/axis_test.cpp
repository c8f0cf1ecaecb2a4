// Axes: their tick labels, and the positions of values.
#include "results/plot/axis.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace kernsweep {
namespace {

std::string numbers_of(const PlotAxis& axis) {
  std::string text;
  for (const PlotTick& tick : axis.ticks) text += (text.empty() ? "" : "|") + tick.text;
  return text;
}
std::string numbers_for(const char* unit, double low, double high, bool logarithmic = false) {
  return numbers_of(value_axis(unit, {low, high}, logarithmic));
}

TEST(Axis, HasRoundNumbersInASuitableUnit) {
  EXPECT_EQ(numbers_for("s", 0.9e-3, 2.4e-3), "0|0.5 ms|1 ms|1.5 ms|2 ms|2.5 ms");
  EXPECT_EQ(numbers_for("GFLOP/s", 12, 1234), "0|500|1000|1500");
  EXPECT_EQ(numbers_for("B", 0, 5.0 * (1 << 20)), "0|1 MiB|2 MiB|3 MiB|4 MiB|5 MiB");
  EXPECT_EQ(numbers_for("", -3, 7), "-4|-2|0|2|4|6|8");
  EXPECT_EQ(numbers_for("", 0, 0), "0|0.2|0.4|0.6|0.8|1");
  EXPECT_EQ(numbers_for("", -8, -1), "-8|-6|-4|-2|0");
}

// Near values: the axis shows their difference, and so does not begin at 0.
TEST(Axis, BeginsAtZeroUnlessThatHidesTheDifference) {
  EXPECT_EQ(value_axis("s", {1, 3}, false).low, 0);
  EXPECT_GT(value_axis("s", {1, 1.1}, false).low, 0.9);
}

TEST(Axis, HasPowersOnALogarithmicScaleAndMoreNumbersWhereTheyAreFew) {
  EXPECT_EQ(numbers_for("s", 1e-6, 1, true), "1 µs|10 µs|100 µs|1 ms|10 ms|100 ms|1 s");
  EXPECT_EQ(numbers_for("s", 1e-3, 40e-3, true), "1 ms|2 ms|5 ms|10 ms|20 ms");
  EXPECT_EQ(numbers_for("B", 1 << 20, 16 << 20, true), "1 MiB|2 MiB|4 MiB|8 MiB|16 MiB");
  EXPECT_LE(value_axis("s", {1e-9, 1e9}, true).ticks.size(), 10U);
  EXPECT_GE(value_axis("", {3.1, 3.2}, true).ticks.size(), 2U);
}

TEST(Axis, NamesTheSettingsThemselvesWhileTheyAreFew) {
  EXPECT_EQ(numbers_of(setting_axis({1, 2, 4, 4096}, false)), "1|2|4|4096");
  std::vector<double> many(1000);
  std::iota(many.begin(), many.end(), 1);
  EXPECT_EQ(numbers_of(setting_axis(many, false)), "0|500|1000");
}

// Close numbers have enough digits to differ.
TEST(Axis, TellsNeighboursApart) {
  EXPECT_EQ(numbers_for("s", 1.0000001, 1.0000004), "1.0000001 s|1.0000002 s|1.0000003 s|1.0000004 s");
  EXPECT_EQ(numbers_of(setting_axis({16777216, 16777217, 16777300}, false)), "16777216|16777217|16777300");
  EXPECT_EQ(numbers_of(setting_axis({0.1, 0.10000001}, false)), "0.1|0.10000001");
}

TEST(Axis, PlacesValuesByTheirLogarithmAndWhatHasNoneFarBelow) {
  const PlotAxis axis{.logarithmic = true, .low = 1, .high = 100};
  EXPECT_DOUBLE_EQ(axis.share(10), 0.5);
  EXPECT_LT(axis.share(0), -1);
  EXPECT_LT(axis.share(-5), -1);
}

// The limits of a double: nothing hangs, and no number is off the axis.
TEST(Axis, HoldsForNumbersOfAnySize) {
  for (const auto& [low, high] :
       {std::pair{-1e300, 1e300}, {1e-320, 2e-320}, {1e15, 1e15 + 0.25}, {5.0, 5.0}, {1e-293, 1e300}})
    for (const bool logarithmic : {false, true}) {
      if (logarithmic && low <= 0) continue;
      const PlotAxis axis = value_axis("s", {low, high}, logarithmic);
      EXPECT_LE(axis.ticks.size(), 25U);
      for (const PlotTick& tick : axis.ticks) EXPECT_GE(axis.share(tick.at), -0.01);
    }
}

}  // namespace
}  // namespace kernsweep
