// Pictures: what is a plot, a series and a point, which axes there are, and both forms of them.
#include <cmath>
#include <regex>
#include <set>

#include "results/plot/line_text.hpp"
#include "results/plot/plot_svg.hpp"
#include "results/plot/plot_text.hpp"
#include "results/plot/svg_parts.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::why;

class PlotTest : public test::QueryTest {
 protected:
  // Three processes whose times differ by `noise`.
  void put_three(const std::vector<Value>& values, double median, double noise = 0.001) {
    for (int process = 0; process < 3; ++process) {
      Job made = job(values, median * (1 + noise * process));
      made.record.point = points_;
      put(made);
    }
    ++points_;
  }
  void put_counted(const std::vector<Value>& values, double misses) {
    Job made = job(values, 1e-3);
    made.record.point = points_++;
    const MetricRecord counted[] = {{"misses", misses, Better::smaller, "misses"}};
    made.record.metrics = counted;
    put(made);
  }
  static PivotQuestion misses(const std::string& x) {
    PivotQuestion question{.rows = {x}};
    question.of.metric = BestMetric::counted;
    question.of.counted = "misses";
    return question;
  }
  Result<Picture> drawn(const PivotQuestion& question, PlotLog log = PlotLog::automatic) {
    Reader r = reader();
    const std::string x = question.rows.empty() ? question.columns : question.rows.front();
    return picture_of(good(pivot(r, question)), {x, log});
  }
  Picture picture(const PivotQuestion& question, PlotLog log = PlotLog::automatic) {
    return good(drawn(question, log));
  }
  static std::size_t text_count(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
  }
  std::string text(const PivotQuestion& question, const Screen& screen = {}) {
    return text_of(picture(question), screen);
  }

 private:
  std::uint64_t points_ = 0;
};

// Two problems; blas stops getting faster, and of onednn with 8 threads little is known.
TEST_F(PlotTest, DrawsALineForEachVariantAndAPlotForEachProblem) {
  begin_with({"variant", "threads", "layout", "label", "m", "n"}, {false, false, false, true, true, true});
  for (const auto& [label, m] : {std::pair{"cube", 64}, {"tall", 256}})
    for (int threads : {1, 2, 4, 8})
      for (const char* layout : {"row", "column"}) {
        put_three({"blas", threads, layout, label, m, 512}, 1e-5 * m / std::min(threads, 2));
        put_three({"onednn", threads, layout, label, m, 512}, 2e-5 * m / threads,
                  threads == 8 ? 0.3 : 0.02);
      }
  EXPECT_THAT(text({.rows = {"threads"}}), IsGolden());
  EXPECT_THAT(text({.rows = {"threads"}, .where = "m = 64"}, {.columns = 50, .ascii = true}), IsGolden());
  EXPECT_THAT(text({.rows = {"threads"}, .where = "m = 64"}, {.columns = 40, .colours = true}), IsGolden());
  EXPECT_THAT(svg_of(picture({.rows = {"threads"}, .where = "m = 64"}, PlotLog::xy)), IsGolden());
  const Picture both = picture({.rows = {"threads", "layout"}, .columns = "variant"});
  EXPECT_EQ(both.series,
            (std::vector<std::string>{"blas, row", "blas, column", "onednn, row", "onednn, column"}));
  EXPECT_EQ(both.plots.size(), 2U);
}

// The plot draws the choice of the pivot.
TEST_F(PlotTest, DrawsTheBestOfWhatWasNotNamed) {
  begin_with({"variant", "threads", "layout"}, {false, false, false});
  for (int threads : {1, 2}) {
    put_three({"a", threads, "row"}, 3e-3);
    put_three({"a", threads, "column"}, 1e-3 * threads);
  }
  Reader r = reader();
  const PivotAnswer answer = good(pivot(r, {.rows = {"threads"}}));
  const Picture drawn = good(picture_of(answer, {"threads"}));
  ASSERT_EQ(drawn.plots.size(), 1U);
  ASSERT_EQ(drawn.plots[0].series.size(), 1U);
  for (std::size_t i = 0; i < 2; ++i) {
    const PlotPoint& point = drawn.plots[0].series[0].points[i];
    EXPECT_EQ(point.y, answer.table[i].cells[0].number);
    EXPECT_EQ(point.bounds.high, answer.table[i].cells[0].bounds.high);
  }
}

TEST_F(PlotTest, DrawsBarsOverWhatIsNoNumberAndOverOneNumber) {
  begin_with({"variant", "threads", "layout"}, {false, false, false});
  for (const auto& [variant, time] : {std::pair{"blas", 2e-3}, {"onednn", 1e-3}, {"a < b", 0.4e-3}})
    for (const char* layout : {"row", "column"})
      put_three({variant, 2, layout}, time * (*layout == 'r' ? 1 : 1.5));
  Job disturbed = job({"naive", 2, Value()}, 4e-3);
  disturbed.record.point = 99;
  disturbed.record.grade = 'C';
  disturbed.record.grade_reasons = "others kept 0.97 cores of this host busy";
  disturbed.record.doubt_cause = DoubtCause::others;
  put(disturbed);
  EXPECT_THAT(text({.columns = "variant"}), IsGolden());
  EXPECT_THAT(text({.rows = {"layout"}}, {.columns = 60, .ascii = true}), IsGolden());
  EXPECT_THAT(text({.rows = {"threads"}}), IsGolden());
  EXPECT_THAT(svg_of(picture({.rows = {"layout"}})), IsGolden());
}

TEST_F(PlotTest, TakesALogarithmicScaleWhereValuesSpanDecadesAndSaysSo) {
  begin_with({"variant", "n"}, {false, true});
  for (const int n : {1, 1000, 1000000}) {
    put_three({"a", n}, 1e-6 * n);
    put_three({"b", n}, 3e-6 * n);
  }
  EXPECT_THAT(text({.rows = {"n"}}), IsGolden());
  EXPECT_FALSE(picture({.rows = {"n"}}, PlotLog::none).plots[0].y.logarithmic);
  const Picture both = picture({.rows = {"n"}}, PlotLog::x);
  EXPECT_TRUE(both.plots[0].x.logarithmic && both.plots[0].y.logarithmic);
}

TEST_F(PlotTest, RefusesALogarithmOfWhatHasNone) {
  begin_with({"variant", "k"}, {false, false});
  put_counted({"a", 0}, 7);
  put_counted({"a", 1}, 0);
  put_counted({"a", 2}, 900);
  EXPECT_FALSE(picture(misses("k")).plots[0].y.logarithmic);
  EXPECT_THAT(why(drawn(misses("k"), PlotLog::y)), IsGolden());
  EXPECT_THAT(why(drawn(misses("k"), PlotLog::xy)), IsGolden());
  PivotQuestion question = misses("k");
  question.columns = "variant";
  question.rows.clear();
  EXPECT_THAT(why(drawn(question, PlotLog::x)), IsGolden());
}

// Bars begin at 0, to either side, and one process has no interval.
TEST_F(PlotTest, DrawsBarsOfNumbersBelowZero) {
  begin_with({"variant", "k"}, {false, false});
  for (const auto& [variant, number] : {std::pair{"a", -5.0}, {"b", 0.0}, {"c", 10.0}})
    put_counted({variant, Value()}, number);
  PivotQuestion question = misses("variant");
  question.rows.clear();
  question.columns = "variant";
  EXPECT_THAT(text_of(picture(question), {.ascii = true}), IsGolden());
  EXPECT_THAT(svg_of(picture(question)), IsGolden());
}

// The other side of a square changes along with m; another type is another problem.
TEST_F(PlotTest, DrawsOneLineOverAColumnOfTheProblemThatOthersFollow) {
  begin_with({"variant", "label", "m", "n", "dtype"}, {false, true, true, true, true});
  for (const char* dtype : {"f32", "s8"})
    for (const auto& [label, m] : {std::pair{"one", 10}, {"two", 20}, {"three", 30}})
      put_three({"a", label, m, m, dtype}, 1e-3 * m);
  const Picture drawn = picture({.rows = {"m"}});
  ASSERT_EQ(drawn.plots.size(), 2U);
  EXPECT_EQ(drawn.plots[0].title, "dtype=f32");
  EXPECT_EQ(drawn.plots[0].series[0].points.size(), 3U);
  EXPECT_THAT(text({.rows = {"m"}, .where = "dtype = 's8'"}, {.columns = 44}), IsGolden());
}

// Squares of three sizes are three lines of one plot; a setting carries no problem along as a column
// either.
TEST_F(PlotTest, OverlaysProblemsByTheColumnThatTheOthersFollow) {
  begin_with({"variant", "threads", "m", "n"}, {false, false, true, true});
  for (const int m : {10, 20, 30})
    for (const int threads : {1, 2}) {
      Job made = job({"a", threads, m, m}, 1e-3 * m / threads);
      made.record.point = static_cast<std::uint64_t>(m + threads);
      put(made);
    }
  const PivotQuestion question{.rows = {"threads"}, .columns = "m"};
  const Picture drawn = picture(question);
  ASSERT_EQ(drawn.plots.size(), 1U);
  EXPECT_EQ(drawn.series, (std::vector<std::string>{"10", "20", "30"}));
  EXPECT_THAT(text(question, {.columns = 44}), IsGolden());
  put({"b", 1, 20, 40}, 1e-3);  // m alone does not say what n is any more
  EXPECT_EQ(picture(question).plots.size(), 4U);
}

// The start and the end of long names are shown; names of files may differ between them.
TEST_F(PlotTest, ShowsNamesWholeThatWouldLookAlike) {
  begin_with({"file", "n"}, {false, false});
  const std::string start = "/data/models/checkpoints/", end = "/model-00001-of-00030.safetensors";
  for (const char* bits : {"int4", "int8"}) put_three({start + bits + end, 1}, 1e-3);
  put_three({start + "f32/model-00002-of-00030.onnx", 1}, 1e-3);
  Picture made = picture({.rows = {"file"}});
  ASSERT_EQ(made.plots.size(), 1U);
  EXPECT_THAT(made.plots[0].labels, testing::ElementsAre(start + "int4" + end, start + "int8" + end,
                                                         testing::SizeIs(testing::Lt(60U))));
}

// 3.1 and 3.10 of a command's axis are two values of one number: two bars.
TEST_F(PlotTest, DrawsWordsOfNumbersAsNumbers) {
  const auto plots = [&](const std::string& name, const std::vector<Value>& values) {
    SweepRecord record = test::sweep_named(name, {"v"});
    record.problem = {false};
    record.stands_for = {StandsFor::real_number};
    begin(record);
    for (const Value& value : values) put_three({value}, 1e-3);
    return picture({.rows = {"v"}}).plots;
  };
  EXPECT_FALSE(plots("line", {"1.50", "10.5", "9.25"}).at(0).bars);
  const auto bars = plots("bars", {"3.1", "3.10"});
  EXPECT_THAT(bars.at(0).labels, testing::ElementsAre("3.1", "3.10"));
}

TEST_F(PlotTest, MarksWhatWasMeasuredUnderDisturbance) {
  begin_with({"variant", "n"}, {false, false});
  for (const int n : {1, 2, 3}) {
    Job made = job({"a", n}, 1e-3 * n);
    made.record.point = static_cast<std::uint64_t>(n);
    if (n == 2) {
      made.record.grade = 'C';
      made.record.doubt_cause = DoubtCause::steal;
    }
    put(made);
  }
  EXPECT_THAT(text({.rows = {"n"}}, {.columns = 44}), IsGolden());
  EXPECT_EQ(text_count(svg_of(picture({.rows = {"n"}})), ">!</text>"), 1U);
}

// No file of a million pixels.
TEST_F(PlotTest, DrawsTwoHundredBarsAndCountsTheRest) {
  begin_with({"variant"}, {false});
  for (int i = 0; i < 450; ++i) put_three({"v" + std::to_string(i)}, 1e-3 * (i + 1));
  const Picture drawn = picture({.columns = "variant"});
  ASSERT_EQ(drawn.plots.size(), 1U);
  EXPECT_EQ(drawn.plots[0].labels.size(), 200U);
  EXPECT_EQ(drawn.notes.back().text, "250 bars are not drawn");
}

// Values that are not drawn do not change the scale, and cause no error.
TEST_F(PlotTest, TakesItsScaleFromWhatIsDrawn) {
  begin_with({"variant", "n"}, {false, false});
  for (int i = 0; i < 50; ++i)
    for (const int n : {1, 2}) put_counted({"v" + std::to_string(i), n}, i < 36 ? 5 : i == 49 ? 0 : 5000);
  EXPECT_FALSE(picture(misses("n")).plots.front().y.logarithmic);
  EXPECT_TRUE(drawn(misses("n"), PlotLog::y));
}

// The work of a problem is derived from it; what is derived from a setting carries no problem along.
TEST_F(PlotTest, DrawsOneLineOverWhatIsDerivedFromTheProblem) {
  SweepRecord record = test::sweep_named("s", {"variant", "m", "n", "threads", "work", "cores"});
  record.problem = {false, true, true, false, std::nullopt, std::nullopt};
  record.parameter_count = 4;
  begin(record);
  for (const int m : {8, 16, 32})
    for (const int threads : {1, 2})
      put_three({"a", m, 2 * m, threads, 4 * m * m, 2 * threads}, 1e-3 * m / threads);
  const Picture work = picture({.rows = {"work"}});
  ASSERT_EQ(work.plots.size(), 1U);
  EXPECT_EQ(work.plots[0].series[0].points.size(), 3U);
  EXPECT_EQ(picture({.rows = {"cores"}}).plots.size(), 3U);
}

// A setting never carries the problem along, even where each value of it was measured with another problem.
TEST_F(PlotTest, MixesNoProblemsThatOnlyHappenToFollowASetting) {
  begin_with({"variant", "threads", "m"}, {false, false, true});
  put_three({"a", 1, 64}, 1e-3);
  put_three({"a", 2, 512}, 9e-3);
  const Picture drawn = picture({.rows = {"threads"}});
  ASSERT_EQ(drawn.plots.size(), 2U);
  EXPECT_TRUE(drawn.plots[0].bars && drawn.plots[1].bars);
}

TEST_F(PlotTest, LeavesOutPointsWithoutXAndCountsThem) {
  begin_with({"variant", "tile"}, {false, false});
  for (const int tile : {8, 16}) put_three({"a", tile}, 1e-3 * tile);
  put_three({"b", Value()}, 5e-3);
  EXPECT_THAT(text({.rows = {"tile"}}, {.columns = 40}), IsGolden());
}

TEST_F(PlotTest, DrawsAThousandValues) {
  begin_with({"variant", "n"}, {false, false});
  for (int n = 1; n <= 1000; ++n)
    for (const char* variant : {"a", "b"})
      put({variant, n}, (*variant == 'a' ? 1e-3 : 1.5e-3) * (2 + std::sin(n / 90.0)));
  EXPECT_THAT(text({.rows = {"n"}}, {.columns = 70}), IsGolden());
  const std::string svg = svg_of(picture({.rows = {"n"}}));
  EXPECT_LT(svg.size(), 100000U);
  EXPECT_EQ(svg, svg_of(picture({.rows = {"n"}})));
}

// Control characters, what turns the direction of text, elements of SVG, right-to-left letters, 10,000
// characters.
TEST_F(PlotTest, LetsNoNameCommandATerminalOrABrowser) {
  begin_with({"variant", "how\x1b[31m", "n"}, {false, true, false});
  for (const int n : {1, 2})
    for (const char* variant :
         {"\x1b[2J\x07x", "</text><script>alert(\"1\")&", "\u05D0\u05D1 \u202Eabc", "\uFFFF"})
      put_three({variant, "\u202Ereversed", n}, 1e-3 * n);
  put_three({std::string(10000, 'y'), "other <b>", 1}, 1e-3);
  const PivotQuestion question{.rows = {"n"}};
  EXPECT_THAT(text(question, {.columns = 60}), IsGolden());
  EXPECT_THAT(svg_of(picture(question)), IsGolden());
}

TEST_F(PlotTest, DrawsAsManyAsThereAreMarksAndRoomForAndCountsTheRest) {
  begin_with({"variant", "n", "m"}, {false, false, true});
  for (int m = 0; m < 14; ++m)
    for (const int n : {1, 2}) put({"a", n, m}, 1e-3);
  for (int i = 0; i < 40; ++i)
    for (const int n : {1, 2}) put({std::to_string(i), n, 0}, 1e-3 * (i + 1));
  const Picture drawn = picture({.rows = {"n"}});
  EXPECT_EQ(drawn.plots.size(), 12U);
  EXPECT_EQ(drawn.series.size(), 36U);
  std::string notes;
  for (const PlotNote& note : drawn.notes) notes += note.text + "\n";
  EXPECT_THAT(notes, IsGolden());
  std::set<std::string> marks, ascii, shapes;
  for (std::size_t i = 0; i < 36; ++i) {
    marks.insert(mark_of_series(i, {}));
    ascii.insert(mark_of_series(i, {.ascii = true}));
    // Without colours they differ as well; white is a hollow mark.
    shapes.insert(std::regex_replace(svg_mark({0, 0}, i), std::regex("#(?!fff)[0-9a-f]+"), "black"));
  }
  EXPECT_EQ(std::set({marks.size(), ascii.size(), shapes.size()}), std::set<std::size_t>{36});
}

}  // namespace
}  // namespace kernsweep
