// A sweep with only one point, which is measured again.
#include <gmock/gmock.h>

#include "language/file/replacements_text.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;

const std::string kAxes = "axes: {m: [1, 2, 3], n: [10, 20]}\ninclude: [{m: 7, n: 70}]\n";

Replacements only(std::uint64_t point) {
  Replacements out;
  out.point = point;
  return out;
}

TEST(OnePoint, IsTheOneOfThatPositionAndIsNumberedZero) {
  const auto whole = expansion_of(kAxes);
  ASSERT_EQ(whole.raw_points(), 7u);
  Point point;
  for (std::uint64_t position = 0; position < 7; ++position) {
    whole.point_at(position, point);
    const auto one = expansion_of(kAxes, only(position));
    EXPECT_EQ(one.raw_points(), 1u);
    EXPECT_THAT(points_of(one), ElementsAre(text_of(whole, point))) << position;
  }
}

// A file with shuffle gives its points in another order, but at the same positions.
TEST(OnePoint, HasTheSameKeyAsInTheWholeSweep) {
  const std::string text = kAxes + "measure: {order: shuffle, processes: 2, cache: [hot, cold]}\n";
  const auto whole = expansion_of(text), one = expansion_of(text, only(3));
  Point before, after;
  whole.point_at(3, before);
  one.point_at(0, after);
  EXPECT_EQ(whole.key_of(before, {3, Cache::cold, 1}), one.key_of(after, {0, Cache::cold, 1}));
  EXPECT_EQ(one.raw_jobs(), 4u);
  for (std::uint64_t job = 0; job < 4; ++job) EXPECT_EQ(one.job_at(job).position, 0u);
}

TEST(OnePoint, IsChosenByItsPositionWhateverElseFilters) {
  Replacements three = only(4);  // m=3 n=10
  three.only = "m == 3";
  EXPECT_THAT(points_of(expansion_of(kAxes, three)), ElementsAre("m=3 n=10"));
  three.only = "m == 1";
  EXPECT_THAT(points_of(expansion_of(kAxes, three)), ElementsAre());
  EXPECT_THAT(rejections_of(expansion_of(kAxes + "exclude: [{m: 3, n: 10}]", only(4))),
              ElementsAre("exclude {m: 3, n: 10}: excluded"));
}

TEST(OnePoint, BeyondTheSweepIsAnError) {
  EXPECT_THAT(error_of(kAxes, only(7)), IsGolden());
}

TEST(OnePoint, IsKeptWithTheOtherReplacements) {
  Replacements all = only(1'234'567'890'123);
  all.axes = {"m=[1, 2]"};
  all.settings = {"measure.processes=5", "tags.why=a b"};
  all.only = "m > 1";
  all.sample = "10%";
  all.quick = true;
  const Replacements read = replacements_of(text_of(all));
  EXPECT_EQ(read.axes, all.axes);
  EXPECT_EQ(read.settings, all.settings);
  EXPECT_EQ(read.only, all.only);
  EXPECT_EQ(read.sample, all.sample);
  EXPECT_TRUE(read.quick);
  EXPECT_EQ(read.point, all.point);
  EXPECT_EQ(replacements_of("").point, std::nullopt);
}

}  // namespace
}  // namespace kernsweep::sweep_test
