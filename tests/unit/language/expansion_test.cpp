// The lazily indexed expansion against one that makes every point, written independently: nested loops over
// all axes, inactive ones set to null, duplicates dropped.
#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "tests/golden_text/places.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

struct RandomAxis {
  std::string name;
  int values = 1;     // 0 .. values-1
  std::string reads;  // the axis of its condition; empty: none
  int wanted = 0;     // when reads == wanted
  int zip = -1;       // group
};

struct RandomSweep {
  std::vector<RandomAxis> axes;
  std::string text;
};

RandomSweep random_sweep(std::mt19937_64& random) {
  const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  RandomSweep sweep;
  const int count = 1 + up_to(5);
  for (int i = 0; i < count; ++i) {
    RandomAxis axis{std::string(1, static_cast<char>('a' + i)), 1 + up_to(3), "", 0, -1};
    if (i > 0 && up_to(1) == 0) {
      axis.reads = sweep.axes[static_cast<std::size_t>(up_to(i - 1))].name;
      axis.wanted = up_to(3);
    }
    sweep.axes.push_back(axis);
  }
  // Half of the sweeps tie an axis to a twin in lock step.
  if (up_to(1) == 0) {
    RandomAxis& first = sweep.axes[static_cast<std::size_t>(up_to(count - 1))];
    first.zip = 0;
    RandomAxis twin = first;
    twin.name = "z";
    sweep.axes.push_back(twin);
  }
  std::shuffle(sweep.axes.begin(), sweep.axes.end(), random);  // conditions may read what follows
  sweep.text = "axes:\n";
  std::string zipped;
  for (const auto& axis : sweep.axes) {
    sweep.text += "  " + axis.name + ": {range: [0, " + std::to_string(axis.values - 1) + "]";
    if (!axis.reads.empty()) sweep.text += ", when: " + axis.reads + " == " + std::to_string(axis.wanted);
    sweep.text += "}\n";
    if (axis.zip == 0) zipped += (zipped.empty() ? "" : ", ") + axis.name;
  }
  if (!zipped.empty()) sweep.text += "zip: {group: [" + zipped + "]}\n";
  sweep.text += "derive: {sum: a + 1}\nconstraints: [sum != 3]\nexclude: [{a: 0";
  if (count > 1) sweep.text += ", b: 1";
  sweep.text += "}]\n";
  return sweep;
}

using Assignment = std::map<std::string, std::optional<int>>;

// Whether an axis exists, given the values of all others; conditions do not go in circles.
bool active(const RandomSweep& sweep, const RandomAxis& axis, const Assignment& point) {
  if (axis.reads.empty()) return true;
  for (const auto& other : sweep.axes) {
    if (other.name == axis.reads)
      return active(sweep, other, point) && *point.at(other.name) == axis.wanted;
  }
  return false;
}

std::set<std::string> brute_force(const RandomSweep& sweep, std::size_t& raw) {
  std::set<std::string> all, accepted;
  std::vector<int> digits(sweep.axes.size(), 0);
  for (;;) {
    Assignment full;
    std::map<int, int> digit_of_group;
    bool in_step = true;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
      full[sweep.axes[i].name] = digits[i];
      if (sweep.axes[i].zip < 0) continue;
      const auto [found, fresh] = digit_of_group.emplace(sweep.axes[i].zip, digits[i]);
      in_step = in_step && (fresh || found->second == digits[i]);
    }
    if (in_step) {
      std::string text;
      Assignment point;
      for (const auto& axis : sweep.axes) {
        if (!active(sweep, axis, full)) continue;
        point[axis.name] = full[axis.name];
        text += (text.empty() ? "" : " ") + axis.name + "=" + std::to_string(*full[axis.name]);
      }
      const bool excluded = point["a"] == 0 && (!full.contains("b") || point["b"] == 1);
      if (point["a"])
        text += (text.empty() ? "" : " ") + std::string("sum=") + std::to_string(*point["a"] + 1);
      all.insert(text);
      if (!excluded && point["a"] != 2) accepted.insert(text);
    }
    std::size_t i = 0;
    while (i < digits.size() && ++digits[i] == sweep.axes[i].values) digits[i++] = 0;
    if (i == digits.size()) break;
  }
  raw = all.size();
  return accepted;
}

TEST(ExpansionProperty, TheIndexedSpaceEqualsTheSpaceMadeByNestedLoops) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    std::mt19937_64 random(seed);
    const RandomSweep sweep = random_sweep(random);
    const auto e = parsed(sweep.text);
    ASSERT_TRUE(e) << "seed " << seed << "\n" << e.error().message << "\n" << sweep.text;
    std::size_t raw = 0;
    const auto expected = brute_force(sweep, raw);
    const auto points = points_of(*e);
    const std::set<std::string> found(points.begin(), points.end());
    ASSERT_EQ(e->raw_points(), raw) << "seed " << seed << "\n" << sweep.text;
    ASSERT_EQ(found.size(), points.size()) << "a point twice, seed " << seed << "\n" << sweep.text;
    ASSERT_EQ(found, expected) << "seed " << seed << "\n" << sweep.text;
  }
}

TEST(Expansion, ABillionPointsAreCountedAndIndexedWithoutAList) {
  const auto e = expansion_of(
      "axes:\n  v: [a, b]\n  i: {range: [1, 1000]}\n  j: {range: [1, 1000]}\n  k: {values: [1, 2, 3], "
      "when: 'v == \"b\"'}\n"
      "  l: {range: [1, 250]}");
  // a: 1; b: 3 values of k; times 1000 * 1000 * 250.
  EXPECT_EQ(e.raw_points(), 1'000'000'000u);
  EXPECT_TRUE(e.unfiltered());
  Point point;
  e.point_at(0, point);
  EXPECT_EQ(text_of(e, point), "v=a i=1 j=1 l=1");
  e.point_at(999'999'999, point);
  EXPECT_EQ(text_of(e, point), "v=b i=1000 j=1000 k=3 l=250");
  e.point_at(250'000'000, point);  // the first of the second block: v=b, k=1
  EXPECT_EQ(text_of(e, point), "v=b i=1 j=1 k=1 l=1");
}

TEST(Expansion, APointLeavesNothingOfTheOneBefore) {
  const auto e =
      expansion_of("axes: {v: [0, 1], x: {values: [5], when: v == 0}}\ninclude: [{v: 3, extra: 1}]");
  Point point;
  e.point_at(2, point);
  EXPECT_EQ(text_of(e, point), "v=3 extra=1");
  e.point_at(0, point);
  EXPECT_EQ(text_of(e, point), "v=0 x=5");
  e.point_at(1, point);
  EXPECT_EQ(text_of(e, point), "v=1");
}

TEST(Expansion, TheFullExampleHasThePointsThatCountingByHandGives) {
  const auto e = Expansion::read(source_folder() + "/tests/unit/language/full_example.yaml", {});
  ASSERT_TRUE(e) << e.error().message;
  // naive 1, blocked 3, onednn 1, blas: openblas 4 core types + blis 2 = 6; times 3 dtypes, 3 shapes, 5
  // thread counts = 11 * 45 = 495; one included.
  EXPECT_EQ(e->raw_points(), 496u);
  // f32 (15 points a state): naive 10 (mm3 is excluded), blocked 45, blas 90, onednn 15; bf16 and s8:
  // onednn 30.
  EXPECT_EQ(points_of(*e).size(), 10u + 45 + 90 + 15 + 30 + 1);
}

}  // namespace
}  // namespace kernsweep::sweep_test
