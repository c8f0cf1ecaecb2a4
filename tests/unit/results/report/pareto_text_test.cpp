// Several metrics at once: what is on the front, what may be on it, and what is shown to lie behind.
#include "results/report/pareto_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::why;

class Pareto : public test::QueryTest {
 protected:
  // Five processes; `bytes`: NaN: not counted.
  void put_five(const std::vector<Value>& values, double median, double bytes, double spread = 0.001) {
    for (int process = 0; process < 5; ++process) {
      const double noise = 1 + spread * ((process * 3 + static_cast<int>(points_) * 2) % 5);
      Job made = job(values, median * noise);
      made.record.point = points_;
      const MetricRecord counted[] = {{"held", bytes * noise, Better::unknown, ""}};
      if (!std::isnan(bytes)) made.record.metrics = counted;
      put(made);
    }
    ++points_;
  }
  ParetoAnswer asked(ParetoQuestion question = {}) {
    Reader r = reader();
    return good(pareto(r, with_metrics(std::move(question))));
  }
  std::string refusal(ParetoQuestion question) {
    Reader r = reader();
    return why(pareto(r, with_metrics(std::move(question))));
  }
  static ParetoQuestion with_metrics(ParetoQuestion question) {
    if (!question.metrics.empty()) return question;
    BestQuestion held;
    held.metric = BestMetric::counted;
    held.counted = "held";
    held.better = Better::smaller;
    question.metrics = {{}, held};
    return question;
  }

 private:
  std::uint64_t points_ = 0;
};

// `quick` and `small` are each the best in one metric, `between` in none and yet beaten by neither; `near`
// is a little worse than `between` in both, less than its processes differ; `bad` is worse in both by far.
TEST_F(Pareto, KeepsWhatIsNotShownToBeBeatenInEveryMetric) {
  begin_with({"variant", "threads", "m"}, {false, false, true});
  for (const int m : {1, 2}) {
    put_five({"quick", 1, m}, 1e-3 * m, 9000);
    put_five({"small", 1, m}, 9e-3 * m, 1000);
    put_five({"between", 1, m}, 5e-3 * m, 5000, 0.02);
    put_five({"near", 1, m}, 5.01e-3 * m, 5010, 0.02);
    put_five({"bad", 1, m}, 20e-3 * m, 20000);
    put_five({"uncounted", 1, m}, 0.1e-3 * m, kUnknown);
  }
  const ParetoAnswer answer = asked();
  ASSERT_EQ(answer.problems.size(), 2U);
  EXPECT_EQ(answer.incomplete, 2U);
  const std::vector<ParetoPoint>& points = answer.problems[0].points;
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[0].settings[0].second, Value("quick"));
  EXPECT_EQ(points[2].settings[0].second, Value("small"));
  EXPECT_EQ(points[3].place, ParetoPlace::may_be);
  EXPECT_EQ(points[3].settings[0].second, Value("near"));
  EXPECT_EQ(points[4].place, ParetoPlace::behind);
  EXPECT_THAT(text_of(answer, "r.db"), IsGolden());
  ParetoQuestion turned = with_metrics({});
  std::ranges::reverse(turned.metrics);
  EXPECT_EQ(asked(turned).incomplete, 2U);
  EXPECT_THAT(rounded(to_json(asked({.where = "m = 2 and variant in ('quick', 'bad')"}))), IsGolden());
}

// Two points with equal numbers beat each other in nothing, and with one process nothing is shown.
TEST_F(Pareto, ShowsNothingToLieBehindWithoutIntervals) {
  begin_with({"variant\x1b[2J"}, {false});
  put({"a"}, 1e-3);
  put({"b"}, 1e-3);
  put({"c"}, 1);
  BestQuestion larger;
  larger.metric = BestMetric::gflops;
  const ParetoAnswer answer = asked({.metrics = {{}, larger}});
  EXPECT_EQ(answer.problems[0].points[1].place, ParetoPlace::front);
  EXPECT_EQ(answer.problems[0].points[2].place, ParetoPlace::may_be);
  EXPECT_THAT(text_of(answer, "r.db"), IsGolden());
}

// For many points, including equal ones and negative numbers, the front is the same as from comparing all
// pairs; the points behind it are those that another point beats by its interval in every metric.
TEST_F(Pareto, HasTheFrontOfAllPairs) {
  begin_with({"variant"}, {false});
  std::uint64_t state = 7;
  std::vector<std::pair<double, double>> numbers;
  for (int i = 0; i < 60; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    numbers.emplace_back(1e-3 * (1 + double(state >> 60)), double(state >> 55 & 15));
    put_five({"v" + std::to_string(i)}, numbers.back().first, numbers.back().second - 4, 0);
  }
  const ParetoAnswer answer = asked();
  std::size_t front = 0;
  for (const auto& each : numbers)
    front += std::ranges::none_of(numbers, [&](const auto& other) {
      return other.first <= each.first && other.second <= each.second && other != each;
    });
  const auto is_front = [](const ParetoPoint& point) { return point.place == ParetoPlace::front; };
  EXPECT_EQ(std::ranges::count_if(answer.problems[0].points, is_front), front);
  EXPECT_GT(front, 1U);
}

TEST_F(Pareto, SaysWhatIsWrongWithAQuestion) {
  begin_with({"variant"}, {false});
  EXPECT_THAT(text_of(asked(), "r.db"), IsGolden());
  put({"a"}, 1e-3);
  EXPECT_THAT(text_of(asked(), "r.db"), IsGolden());
  EXPECT_THAT(refusal({.metrics = {{}, {}}}), IsGolden());
  EXPECT_THAT(refusal({.where = "m = 1"}), IsGolden());
  BestQuestion energy;
  energy.metric = BestMetric::counted;
  energy.counted = "held";
  EXPECT_THAT(refusal({.metrics = {{}, energy}}), IsGolden());
}

}  // namespace
}  // namespace kernsweep
