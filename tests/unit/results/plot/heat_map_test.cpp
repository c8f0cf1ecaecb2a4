// Tables and samples as SVG: what is drawn of jobs that a database has.
#include "results/plot/heat_map.hpp"

#include "results/plot/picture.hpp"
#include "results/plot/plot_svg.hpp"
#include "results/plot/process_strips.hpp"
#include "results/report/pivot_text.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::count_of;
using test::good;
using test::Job;

class ResultPictures : public test::QueryTest {
 protected:
  // A process of a point: samples from 0.9 to 1.5 times the median.
  void put_process(std::vector<Value> values, double median, char grade = 'A') {
    Job made = job(std::move(values), median);
    made.samples = {0.9 * median, 0.95 * median, median, 1.1 * median, 1.5 * median};
    made.record.summary = summarise(made.samples);
    made.record.point = points_;
    made.record.grade = grade;
    put(made);
  }
  void put_point(const std::vector<Value>& values, double median) {
    for (int process = 0; process < 5; ++process) put_process(values, median * (1 + 0.001 * process));
    ++points_;
  }
  void put_two_problems() {
    begin_with({"variant", "threads", "m"}, {false, false, true});
    put_point({"blas", 1, 8}, 1e-3);
    put_point({"blas", 2, 8}, 0.8e-3);
    put_point({"\x1b[2J</text>\u202e", 1, 8}, 1e-3);
    put_point({"blas", 1, 64}, 4e-3);
    put_point({"blas", 2, 64}, 6e-3);
    put_process({"\x1b[2J</text>\u202e", 1, 64}, 40e-3);
    put_process({"\x1b[2J</text>\u202e", 1, 64}, 90e-3, 'C');
  }
  std::uint64_t points_ = 0;
};

TEST_F(ResultPictures, HaveATableWithItsNumbersMarksAndColours) {
  put_two_problems();
  Reader r = reader();
  EXPECT_THAT(heat_map_of(good(pivot(r, {}))), IsGolden());
  PivotQuestion mixed{.rows = {"variant"}, .columns = "m"};
  const std::string plain = heat_map_of(good(pivot(r, mixed)));
  EXPECT_EQ(count_of(plain, "<rect "), 1U) << "cells of different problems have no colour";
  EXPECT_EQ(count_of(plain, "none is marked"), 1U);
}

TEST_F(ResultPictures, CountTheRowsAndColumnsThatHaveNoRoom) {
  begin_with({"variant", "m"}, {false, true});
  for (int m = 0; m < 210; ++m)
    for (int variant = 0; variant < 42; ++variant) {
      put({"v" + std::to_string(variant), m}, 1e-3 * (1 + variant));
      ++points_;
    }
  Reader r = reader();
  const std::string svg = heat_map_of(good(pivot(r, {})));
  EXPECT_EQ(count_of(svg, "The first 200 rows and 40 columns of 210 and 42"), 1U);
  EXPECT_EQ(count_of(svg, "<rect "), 1 + 200 * 40 + 5U);
}

TEST_F(ResultPictures, HaveEachProcessOfTheBestSettings) {
  put_two_problems();
  Reader r = reader();
  const StripPicture picture = good(process_strips(r, good(pivot(r, {}))));
  ASSERT_EQ(picture.plots.size(), 2U);
  ASSERT_EQ(picture.plots[1].strips.size(), 7U);
  EXPECT_EQ(picture.plots[0].strips[0].label, "blas threads=2");
  EXPECT_EQ(picture.plots[0].strips[1].label, "");
  EXPECT_EQ(picture.plots[1].strips[0].label, "blas threads=1");
  EXPECT_FALSE(picture.plots[1].strips[5].disturbed);
  EXPECT_TRUE(picture.plots[1].strips[6].disturbed);
  EXPECT_NEAR(picture.plots[1].strips[6].samples.max_s, 135e-3, 1e-9);
  EXPECT_THAT(svg_of(picture), IsGolden());
}

TEST_F(ResultPictures, ShowLongValuesWholeThatDifferInTheirMiddle) {
  const auto named = [](char middle) { return std::string(40, 'a') + middle + std::string(40, 'z'); };
  begin_with({"variant", "how", "m"}, {false, false, true});
  for (const char variant : {'1', '2'})
    for (const char m : {'5', '6'}) put_point({named(variant), named('3'), named(m)}, 1e-3 * variant);
  put_point({named('1'), named('4'), named('5')}, 1e-3);
  Reader r = reader();
  const PivotAnswer answer = good(pivot(r, {}));
  const PivotAnswer by_rows = good(pivot(r, {.rows = {"m", "how"}}));
  const StripPicture strips = good(process_strips(r, answer));
  const Picture plotted = good(picture_of(good(pivot(r, {.rows = {"m"}})), {"m", PlotLog::automatic}));
  for (const char middle : {'1', '2', '5', '6'}) {
    const std::string whole = named(middle);
    EXPECT_GE(count_of(heat_map_of(answer), whole), 1U) << middle;
    EXPECT_GE(count_of(svg_of(strips), whole), 1U) << middle;
    EXPECT_GE(count_of(text_of(answer, {}, "x.db"), whole), 1U) << middle;
    EXPECT_GE(count_of(svg_of(plotted), whole), 1U) << middle;
  }
  for (const char middle : {'3', '4'}) {
    EXPECT_GE(count_of(svg_of(strips), named(middle)), 1U) << middle;
    EXPECT_GE(count_of(heat_map_of(by_rows), named(middle)), 1U) << middle;
    EXPECT_GE(count_of(text_of(by_rows, {}, "x.db"), named(middle)), 1U) << middle;
  }
}

TEST_F(ResultPictures, HaveNoSamplesWhereNoneAreKnownAndCountProblemsThatAreTooMany) {
  begin_with({"variant", "m"}, {false, true});
  for (int m = 0; m < 60; ++m)
    for (const char* variant : {"a", "b"}) {
      put_process({variant, m}, 1e-3);
      ++points_;
    }
  {
    Reader r = reader();
    const StripPicture picture = good(process_strips(r, good(pivot(r, {}))));
    EXPECT_EQ(picture.plots.size(), 50U);
    EXPECT_EQ(picture.plots_left, 10U);
    EXPECT_EQ(count_of(svg_of(picture), "10 more problems are not drawn"), 1U);
  }
  begin_with({"variant"}, {false});
  for (int variant = 0; variant < 60; ++variant)
    put_point({"v" + std::to_string(variant)}, 1e-3 * (1 + variant));
  {
    Reader r = reader();
    const StripPicture picture = good(process_strips(r, good(pivot(r, {}))));
    ASSERT_EQ(picture.plots.size(), 1U);
    EXPECT_EQ(picture.plots[0].strips.size(), 100U);
    EXPECT_EQ(picture.plots[0].settings_left, 40U);
    EXPECT_EQ(count_of(svg_of(picture), "40 slower settings are not drawn"), 1U);
  }
  auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
  good(connection.execute("delete from attempt_row"));
  Reader r = reader();
  EXPECT_TRUE(good(process_strips(r, good(pivot(r, {})))).plots.empty());
}

}  // namespace
}  // namespace kernsweep
