// Speedup over threads: numbers that follow from a law are found again, and what is not known is said.
#include "results/report/scaling_text.hpp"

#include <cmath>
#include <optional>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::why;

class Scaling : public test::QueryTest {
 protected:
  void put_five(const std::vector<Value>& values, double median, int processes = 5) {
    for (int process = 0; process < processes; ++process) {
      Job made = job(values, median * (1 + 0.002 * ((process * 3 + static_cast<int>(points_)) % 5 - 2)));
      made.record.point = points_;
      put(made);
    }
    ++points_;
  }
  ScalingAnswer asked(ScalingQuestion question = {}) {
    Reader r = reader();
    return good(scaling(r, question));
  }
  std::string refusal(ScalingQuestion question) {
    Reader r = reader();
    return why(scaling(r, question));
  }

 private:
  std::uint64_t points_ = 0;
};

double amdahl(double serial, double threads) {
  return serial + (1 - serial) / threads;
}

TEST(AmdahlFits, FindTheShareThatDoesNotGetFaster) {
  for (const double serial : {0.0, 0.05, 0.5, 1.0}) {
    std::vector<double> threads, seconds;
    for (const double count : {1.0, 2.0, 4.0, 8.0, 64.0}) {
      threads.push_back(count);
      seconds.push_back(3e-3 * amdahl(serial, count));
    }
    const AmdahlFit fit = fit_amdahl(threads, seconds, 0.01);
    EXPECT_NEAR(fit.serial, serial, 1e-9);
    EXPECT_LT(fit.bounds.high - fit.bounds.low, 1e-6);
    EXPECT_LT(fit.off, 1e-9);
  }
}

// The 99 % intervals of nearly all of 400 fits to times that differ by 2 % contain the true share.
TEST(AmdahlFits, HaveIntervalsThatHoldTheTruth) {
  std::uint64_t state = 7;
  const auto uniform = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  int held = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<double> threads, seconds;
    for (const double count : {1.0, 2.0, 4.0, 8.0})
      for (int process = 0; process < 3; ++process) {
        double normal = -6;
        for (int i = 0; i < 12; ++i) normal += uniform();
        threads.push_back(count);
        seconds.push_back(amdahl(0.1, count) * std::exp(0.02 * normal));
      }
    const AmdahlFit fit = fit_amdahl(threads, seconds, 0.01);
    held += fit.bounds.low <= 0.1 && 0.1 <= fit.bounds.high ? 1 : 0;
    EXPECT_LT(fit.bounds.high - fit.bounds.low, 0.1);
  }
  EXPECT_GE(held, 388);
}

TEST(AmdahlFits, SayNothingOfOneNumberOfThreadsAndOfTimesThatGrow) {
  const double one[] = {2, 2, 2}, times[] = {1, 1.1, 0.9};
  EXPECT_TRUE(std::isnan(fit_amdahl(one, times, 0.01).serial));
  const double threads[] = {1, 2, 4}, growing[] = {1, 2, 4};
  const AmdahlFit fit = fit_amdahl(threads, growing, 0.01);
  EXPECT_GT(fit.serial, 1);
  EXPECT_GT(fit.off, 0.2);
}

TEST_F(Scaling, OfEachSettingOfEachProblem) {
  begin_with({"variant", "threads", "m"}, {false, false, true});
  for (const int m : {8, 64}) {
    for (const int threads : {4, 1, 2}) put_five({"own", threads, m}, 1e-3 * m * amdahl(0.1, threads));
    for (const int threads : {2, 4}) put_five({"late", threads, m}, 1e-3 * m / threads);
    put_five({"once", 1, m}, 1e-3);
  }
  const ScalingAnswer answer = asked();
  ASSERT_EQ(answer.series.size(), 4U);
  EXPECT_EQ(answer.single, 2U);
  const ScalingSeries& own = answer.series[0];
  EXPECT_NEAR(own.points[2].speedup, 1 / amdahl(0.1, 4), 1e-2);
  EXPECT_LT(own.points[2].bounds.low, own.points[2].speedup);
  EXPECT_NEAR(own.fit.serial, 0.1, 0.01);
  // From 2 to 4 threads twice as fast is perfect, though the time of one is unknown.
  EXPECT_NEAR(answer.series[1].points[1].efficiency, 1, 1e-2);
  EXPECT_THAT(text_of(answer, "r.db"), IsGolden());
  EXPECT_THAT(rounded(to_json(asked({.where = "m = 8 and variant = 'late'"}))), IsGolden());
}

// A setting of the user is no time, whatever it is called.
TEST_F(Scaling, ShowsSettingsAsTheyAre) {
  begin_with({"variant", "threads", "wait_s"}, {false, false, false});
  for (const double wait : {5.0, 0.25})
    for (const int threads : {1, 2, 4}) put_five({"own", threads, wait}, 1e-3 * amdahl(-0.0001, threads));
  EXPECT_THAT(text_of(asked(), "r.db"), IsGolden());
}

TEST_F(Scaling, SaysWhatIsNotKnownAndWhatIsWrong) {
  begin_with({"variant", "threads"}, {false, false});
  EXPECT_THAT(text_of(asked(), "r.db"), IsGolden());
  put_five({"a\x1b[2J", 1}, 1e-3, 1);
  EXPECT_THAT(text_of(asked(), "r.db"), IsGolden());
  put_five({"a\x1b[2J", 2}, 2e-3, 1);
  EXPECT_THAT(text_of(asked(), "r.db"), IsGolden());
  EXPECT_NE(to_json(asked()).find("\"speedup_low\": null"), std::string::npos);
  EXPECT_THAT(refusal({.axis = "thread"}), IsGolden());
  EXPECT_THAT(refusal({.axis = "variant"}), IsGolden());
  put_five({"b", Value()}, 2e-3, 1);  // the axis is not of this setting
  EXPECT_EQ(asked().single, 1U);
  put_five({"b", "many"}, 2e-3, 1);
  EXPECT_THAT(refusal({}), IsGolden());
  EXPECT_THAT(refusal({.where = "threads = 9"}), IsGolden());
}

TEST_F(Scaling, OfAColumnOfTheProblemIsRefused) {
  begin_with({"variant", "threads", "m"}, {false, false, true});
  put_five({"own", 1, 8}, 1e-3);
  put_five({"own", 1, 64}, 8e-3);
  EXPECT_THAT(refusal({.axis = "m"}), IsGolden());
}

}  // namespace
}  // namespace kernsweep
