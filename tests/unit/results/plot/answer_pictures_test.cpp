// Pictures of scaling and of results under roofs.
#include <gmock/gmock.h>

#include <cmath>

#include "results/plot/plot_svg.hpp"
#include "results/plot/plot_text.hpp"
#include "results/plot/roofline_picture.hpp"
#include "results/plot/scaling_picture.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

ScalingSeries series_of(const char* variant, double serial, const std::vector<double>& threads) {
  ScalingSeries made{.of = {{"variant", Value(variant)}}};
  for (const double count : threads) {
    const double speedup = 1 / (serial + (1 - serial) * threads.front() / count);
    made.points.push_back({.threads = count,
                           .speedup = speedup,
                           .bounds = {speedup * 0.9, speedup * 1.1},
                           .disturbed = count == 2});
  }
  made.fit.serial = serial;
  return made;
}

ScalingAnswer scaling_answer() {
  ScalingAnswer answer{.axis = "threads"};
  answer.about.sweep = "s";
  answer.about.jobs = 12;
  answer.alpha = 0.01;
  return answer;
}

TEST(ScalingPicture, DrawsTheLawWhereItSaysSomething) {
  ScalingAnswer answer = scaling_answer();
  answer.everywhere = {{"m", Value(64)}};
  answer.series = {series_of("a", 0.1, {1, 2, 4}), series_of("b\x1b[2J", 0.5, {1, 4})};
  const Picture picture = picture_of(answer);
  EXPECT_THAT(text_of(picture, {.columns = 60}), IsGolden());
  EXPECT_THAT(svg_of(picture), IsGolden());
  const Plot& plot = picture.plots.at(0);
  ASSERT_EQ(plot.series.size(), 4U);  // a's law, a, b, what would be perfect
  EXPECT_TRUE(plot.series[0].line && !plot.series[0].marks && !plot.series[1].line);
  EXPECT_NEAR(plot.series[0].points.back().y, answer.series[0].points.back().speedup, 1e-9);
  EXPECT_TRUE(plot.series[2].line && plot.series[2].marks);
  EXPECT_FALSE(plot.x.logarithmic);
  EXPECT_EQ(places_beside(plot), (std::vector<std::size_t>{0, 0, 1, 2})) << "the law lies on its points";
}

TEST(ScalingPicture, HoldsForManyThreadsNoFitAndUnknownBounds) {
  ScalingAnswer answer = scaling_answer();
  for (int i = 0; i < 20; ++i) {
    ScalingSeries series = series_of(("v" + std::to_string(i)).c_str(), 0.01 * i, {2, 16, 128});
    series.fit.serial = i == 0 ? kUnknown : i == 1 ? -3 : series.fit.serial;
    for (ScalingPoint& point : series.points) point.bounds = {0, HUGE_VAL};
    answer.series.push_back(series);
  }
  const Picture picture = picture_of(answer);
  EXPECT_EQ(picture.series.size(), 13U);
  EXPECT_TRUE(picture.plots.at(0).x.logarithmic && picture.plots.at(0).y.logarithmic);
  EXPECT_TRUE(picture.plots.at(0).series.at(0).line && picture.plots.at(0).series.at(1).line);
  std::string notes;
  for (const PlotNote& note : picture.notes) notes += note.text + "; " + note.command + "\n";
  EXPECT_THAT(notes, IsGolden());
}

// A name of 81 characters; different ones differ in their middle.
std::string long_name(char middle) {
  return std::string(40, 'a') + middle + std::string(40, 'z');
}

TEST(ScalingPicture, ShowsLongValuesWholeThatDifferInTheirMiddle) {
  ScalingAnswer answer = scaling_answer();
  for (const char middle : {'1', '2'})
    answer.series.push_back(series_of(long_name(middle).c_str(), 0.1, {1, 2, 4}));
  const Picture picture = picture_of(answer);
  EXPECT_EQ(picture.series, (std::vector<std::string>{"variant=" + long_name('1'),
                                                      "variant=" + long_name('2'), "perfect"}));
}

HostRoofs host_of(std::int64_t threads) {
  HostRoofs host{
      .host = "far", .cpu = "a processor", .gpu = "", .fingerprint = "", .threads = threads, .roofs = {}};
  host.roofs.add_peak("f32", {.rate = 100.0 * static_cast<double>(threads), .by = "avx2", .grade = 'A'});
  host.roofs.add_peak("s8", {.rate = 900, .by = "vnni", .grade = 'A'});
  host.roofs.add_level({.name = "L1", .bytes = 1024, .limit = {.rate = 200, .by = "read", .grade = 'A'}});
  host.roofs.add_level(
      {.name = "memory", .bytes = 1e9, .limit = {.rate = 20, .by = "triad", .grade = 'A'}});
  return host;
}

TEST(RooflinePicture, HasAPlotForEachNumberOfThreads) {
  const HostRoofs one = host_of(1), two = host_of(2);
  RooflinePoints found{.without_work = 1, .without_roofs = 2};
  found.hosts = {{&one, {{"a", "f32", 0.25, 4}, {"b", "f32", 64, 90}}}, {&two, {{"b", "f32", 64, 150}}}};
  BestAnswer shares;
  shares.sweep = "s";
  shares.jobs = 7;
  const Picture picture = picture_of(found, shares);
  ASSERT_EQ(picture.plots.size(), 2U);
  EXPECT_EQ(picture.series,
            (std::vector<std::string>{"a", "b", "L1 bandwidth", "memory bandwidth", "f32 peak"}));
  EXPECT_THAT(text_of(picture, {.columns = 70}), IsGolden());
  EXPECT_THAT(svg_of(picture), IsGolden());
  // The slope of memory reaches the peak at 5 operations per byte.
  const PlotSeries& memory = picture.plots[0].series[3];
  EXPECT_NEAR(memory.points.back().x, 5, 1e-9);
  EXPECT_NEAR(memory.points.back().y, 100, 1e-9);
}

TEST(RooflinePicture, ShowsLongVariantsApart) {
  const HostRoofs host = host_of(1);
  RooflinePoints found;
  found.hosts = {{&host, {{long_name('1'), "f32", 0.25, 4}, {long_name('2'), "f32", 64, 90}}}};
  const Picture picture = picture_of(found, {});
  EXPECT_EQ(picture.series[0], long_name('1'));
  EXPECT_EQ(picture.series[1], long_name('2'));
  EXPECT_EQ(picture.plots.at(0).series.at(0).points.size(), 1U);
}

TEST(RooflinePicture, HoldsWithoutPeaksAndForExtremePoints) {
  HostRoofs host = host_of(1);
  host.roofs.peaks.clear();
  RooflinePoints found;
  found.hosts = {{&host, {{"a", "", 1e-12, 1e-9}, {"b", "i4", 1e15, 1e9}}}};
  const Picture picture = picture_of(found, {});
  EXPECT_FALSE(text_of(picture, {.columns = 40}).empty());
  EXPECT_LT(svg_of(picture).size(), 20000U);
}

}  // namespace
}  // namespace kernsweep
