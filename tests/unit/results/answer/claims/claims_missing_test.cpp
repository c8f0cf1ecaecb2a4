// A claim is not confirmed while something is missing that might speak against it; what is there may refute
// it.
#include <list>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/answer/claims/claims_fixture.hpp"

namespace kernsweep {
namespace {

using test::ClaimsTest;
using test::good;
using test::is;
using test::Job;
using testing::HasSubstr;

struct ClaimsMissing : ClaimsTest {
  // Points m=1 ... count, 1 ms each.
  void measured(int count) {
    begin("s", {"variant", "m"});
    for (int m = 1; m <= count; ++m) put_point({"blas", m}, 1e-3);
  }
  void failed(const std::vector<Value>& values) {
    put_point(values, 1e-3, [](Job& made) { made.failed(Outcome::timeout_run, "too slow"); });
  }
  static ClaimTask of_sweep(ClaimTask task, std::uint64_t points) {
    task.points = points;
    task.unfinished = true;
    return task;
  }
};

TEST_F(ClaimsMissing, PointsThatWereNeverMeasuredKeepALevelOpen) {
  measured(5);
  const ClaimTask task = of_kind(ClaimKind::at_most, 1);
  EXPECT_EQ(judged(of_sweep(task, 5)).verdict, ClaimVerdict::confirmed);
  const JudgedClaim claim = judged(of_sweep(task, 8));
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.missing, "3 of 8 points have no result");
  EXPECT_EQ(claim.unmeasured, 3u);
  EXPECT_THAT(text, HasSubstr("as claimed, but 3 of 8 points have no result; kernsweep resume measures"));
  EXPECT_THAT(json, HasSubstr("\"missing\": \"3 of 8 points have no result\""));
  EXPECT_EQ(judged(of_sweep(of_kind(ClaimKind::at_most, 1e-6), 8)).verdict, ClaimVerdict::refuted);
}

TEST_F(ClaimsMissing, ASweepOfUnknownSizeThatHasNotEndedConfirmsNothing) {
  measured(2);
  ClaimTask task = of_kind(ClaimKind::at_most, 1);
  task.unfinished = true;
  const JudgedClaim claim = judged(task);
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.missing, "the sweep has not ended");
}

TEST_F(ClaimsMissing, PointsThatFailedKeepALevelOpen) {
  measured(2);
  failed({"blas", 3});
  const JudgedClaim least = judged(of_kind(ClaimKind::at_least, 1e-9, "gflops"));
  EXPECT_EQ(least.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(least.missing, "1 of 3 points has no result, 3 of 9 jobs failed");
  EXPECT_EQ(judged(of_kind(ClaimKind::at_least, 1, "gflops")).verdict, ClaimVerdict::refuted);
}

// One process of three timed out: it is the slowest of them, and what is left looks faster than it is.
TEST_F(ClaimsMissing, OneFailedProcessIsEnough) {
  begin("s", {"m"});
  put_point({1}, 1e-3, [](Job& made) {
    if (made.record.process == 2) made.failed(Outcome::timeout_run, "too slow");
  });
  const JudgedClaim claim = judged(of_kind(ClaimKind::at_most, 1));
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.no_result, 0u);
  EXPECT_EQ(claim.missing, "1 of 3 jobs failed");
  EXPECT_THAT(text, HasSubstr("`where` leaves out what cannot be measured"));
}

TEST_F(ClaimsMissing, APointOfEitherSideThatFailedKeepsFasterOpen) {
  begin("s", {"variant", "m"});
  for (const int m : {1, 2}) put_point({"naive", m}, 3e-3);
  put_point({"blas", 1}, 1e-3);
  failed({"blas", 2});
  const ClaimTask faster_blas = faster({is("variant", {"blas"})}, {is("variant", {"naive"})});
  const JudgedClaim claim = judged(faster_blas);
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.missing, "1 of 4 points has no result, 3 of 12 jobs failed");
  EXPECT_EQ(judged(faster({is("variant", {"naive"})}, {is("variant", {"blas"})})).verdict,
            ClaimVerdict::refuted);
  EXPECT_EQ(judged(of_sweep(faster_blas, 6)).no_result, 3u);
  ClaimTask some = faster_blas;
  some.names = {"m"};
  some.where = [](std::span<const Value> values) { return *values[0].integer() == 1; };
  EXPECT_EQ(judged(some).verdict, ClaimVerdict::confirmed);
}

TEST_F(ClaimsMissing, AnErrorThatNobodyKnowsKeepsErrorBelowOpen) {
  begin("s", {"m"});
  const auto with_error = [](Job& made) { made.record.error = 1e-7; };
  put_point({1}, 1e-3, with_error);
  put_point({2}, 1e-3);  // not verified
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-6)).missing,
            "1 of 2 points has no result, 3 of 6 jobs have no error");
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-6)).verdict, ClaimVerdict::undecided);
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-8)).verdict, ClaimVerdict::refuted);
}

TEST_F(ClaimsMissing, AWrongResultWithoutAnErrorRefutesErrorBelow) {
  begin("s", {"m"});
  put_point({1}, 1e-3, [](Job& made) { made.failed(Outcome::wrong_result, "another shape"); });
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-6)).verdict, ClaimVerdict::refuted);
}

// `error` is the largest of the finite elements: rows of older versions have one with infinite outputs.
TEST_F(ClaimsMissing, AWrongResultWithASmallErrorRefutesErrorBelowToo) {
  begin("s", {"m"});
  put_point({1}, 1e-3, [](Job& made) { made.record.error = 1e-8; });
  put_point({2}, 1e-3, [](Job& made) {
    made.failed(Outcome::wrong_result, "3 elements are infinite");
    made.record.error = 3e-8;
  });
  const JudgedClaim claim = judged(of_kind(ClaimKind::error_below, 1e-6));
  EXPECT_EQ(claim.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(claim.against, 3u);
  EXPECT_EQ(claim.wrong, 3u);
  EXPECT_EQ(claim.highest, 1e-8) << "of the jobs whose error means something";
  EXPECT_THAT(text, HasSubstr("the largest error of 3 jobs is 1e-08, and 3 jobs have a wrong result "
                              "without an error that says how wrong;\n  claimed: below 1e-06\n"));
  EXPECT_THAT(text, HasSubstr("m=2: a wrong result, result 4"));
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-8)).disagreements[0].point, "m=2");
}

TEST_F(ClaimsMissing, WrongResultsAloneHaveNoLargestError) {
  begin("s", {"m"});
  put_point({1}, 1e-3, [](Job& made) {
    made.failed(Outcome::wrong_result, "NaN");
    made.record.error = 0;
  });
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-6)).verdict, ClaimVerdict::refuted);
  EXPECT_THAT(text, HasSubstr("3 jobs have a wrong result, and no error says how wrong; claimed"));
  EXPECT_THAT(json, HasSubstr("\"largest\": null"));
}

// A disturbed time has no disturbed error.
TEST_F(ClaimsMissing, ErrorBelowTakesRowsOfAllGrades) {
  begin("s", {"m"});
  put_point({1}, 1e-3, [](Job& made) { made.record.error = 1e-7; });
  put_point({2}, 1e-3, [](Job& made) {
    made.record.error = 1e-3;
    made.record.grade = 'C';
  });
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-2)).verdict, ClaimVerdict::confirmed);
  const JudgedClaim claim = judged(of_kind(ClaimKind::error_below, 1e-6));
  EXPECT_EQ(claim.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(claim.graded_below, 0u);
}

TEST_F(ClaimsMissing, APercentileThatNeededMoreSamplesKeepsAtMostOpen) {
  begin("s", {"m"});
  for (const int m : {1, 2})
    put_point({m}, 1e-3,
              [m](Job& made) { made.record.conditions.emplace().p99_s = m == 1 ? 2e-3 : kUnknown; });
  const JudgedClaim claim = judged(of_kind(ClaimKind::at_most, 1, "p99_s"));
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.missing, "1 of 2 points has no result, 3 of 6 jobs have no p99_s: too few samples");
}

// The processes with the fewest samples are the slowest ones: the quick ones alone prove nothing.
TEST_F(ClaimsMissing, ProcessesWithoutThePercentileKeepAtMostOpen) {
  begin("s", {"m"});
  for (std::uint32_t process = 0; process < 10; ++process) {
    Job made = job({1}, 1e-3);
    made.record.process = process;
    made.record.conditions.emplace().p99_s = process < 7 ? 2e-3 + 1e-6 * process : kUnknown;
    put(made);
  }
  const JudgedClaim claim = judged(of_kind(ClaimKind::at_most, 1, "p99_s"));
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.without, 3u);
  EXPECT_EQ(claim.missing, "3 of 10 jobs have no p99_s: too few samples");
  EXPECT_THAT(text, HasSubstr("--set measure.samples.min=100 gives it"));
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 1e-3, "p99_s")).verdict, ClaimVerdict::refuted);
}

// A percentile above the median is at least the median: 1 ms is above 0.5 ms, whatever the p99.
TEST_F(ClaimsMissing, AMedianBeyondTheBoundRefutesAPercentileThatNobodyKnows) {
  begin("s", {"m"});
  put_point({1}, 1e-3);
  const JudgedClaim claim = judged(of_kind(ClaimKind::at_most, 0.5e-3, "p99_s"));
  EXPECT_EQ(claim.verdict, ClaimVerdict::refuted);
  ASSERT_EQ(claim.disagreements.size(), 1u);
  EXPECT_NEAR(claim.disagreements[0].number, 1e-3, 1e-9);
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 2e-3, "p99_s")).verdict, ClaimVerdict::undecided);
  EXPECT_EQ(judged(of_kind(ClaimKind::at_least, 2e-3, "p99_s")).verdict, ClaimVerdict::undecided)
      << "that is a bound from below only";
}

// The same point, measured on one host and failed for want of another: it has a result. The cache states
// are two points.
TEST_F(ClaimsMissing, APointIsOneOnWhateverHostAndAnotherInEachStateOfTheCaches) {
  const HostId a = good(store.add_host({.fingerprint = digest_of("a"), .name = "a"}));
  begin("s", {"m"});
  put_point({1}, 1e-3);
  put_point({1}, 1e-3, [a](Job& made) { made.record.host = a; });
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 1)).points, 1u);
  put_point({1}, 1e-3, [](Job& made) { made.record.cache = Cache::cold; });
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 1)).points, 2u);
}

// It may be one of two groups.
TEST_F(ClaimsMissing, ASingleProcessDecidesNothingWithinTwice) {
  begin("s", {"variant", "m"});
  for (int m = 1; m <= 8; ++m) {
    put(job({"naive", m}, 1.9e-3));
    put(job({"far", m}, 9e-3));
    put_point({"blas", m}, 1e-3);
  }
  const JudgedClaim far = judged(faster({is("variant", {"blas"})}, {is("variant", {"far"})}));
  EXPECT_EQ(far.verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(far.evidence.single, 8u);
  const JudgedClaim claim = judged(faster({is("variant", {"blas"})}, {is("variant", {"naive"})}));
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.evidence.single, 8u);
  EXPECT_THAT(text, HasSubstr("8 of 8 pairs have a single process on a side, and one process decides"));
  const JudgedClaim slower = judged(faster({is("variant", {"naive"})}, {is("variant", {"blas"})}));
  EXPECT_EQ(slower.verdict, ClaimVerdict::undecided) << "nor is it refuted";
  const JudgedClaim level = judged(of_kind(ClaimKind::at_most, 1e-6));
  EXPECT_EQ(level.verdict, ClaimVerdict::refuted) << "blas has three processes at each point";
}

TEST_F(ClaimsMissing, ALevelOfSingleProcessesDecidesNothing) {
  begin("s", {"m"});
  put(job({1}, 1e-3));
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 1)).verdict, ClaimVerdict::undecided);
  EXPECT_THAT(text, HasSubstr("1 of 1 points has a single process, and one process decides nothing"));
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 1e-6)).verdict, ClaimVerdict::undecided);
}

struct BitsMissing : ClaimsMissing {
  void put_hash(const std::vector<Value>& values, const char* hash, const char* inputs = "A=1",
                bool repeatable = true) {
    put_point(values, 1e-3, [&](Job& made) {
      made.record.output_hash = hash;
      made.record.inputs = inputs;
      made.record.repeatable = repeatable;
    });
  }
};

TEST_F(BitsMissing, AFailedPartnerKeepsEqualBitsOpen) {
  begin("s", {"variant", "m"});
  put_hash({"a", 1}, "aa");
  put_hash({"b", 1}, "aa");
  EXPECT_EQ(judged(equal_bits({is("variant", {})})).verdict, ClaimVerdict::confirmed);
  failed({"c", 1});
  EXPECT_EQ(judged(equal_bits({is("variant", {})})).verdict, ClaimVerdict::undecided);
  put_hash({"d", 1}, "bb");
  EXPECT_EQ(judged(equal_bits({is("variant", {})})).verdict, ClaimVerdict::refuted);
}

// Four jobs failed, but that is not why there is no pair.
TEST_F(BitsMissing, OtherInputsAreTheReasonThatIsTold) {
  begin("s", {"variant", "m"});
  put_hash({"a", 1}, "aa", "A=1");
  put_hash({"a", 2}, "bb", "A=2");
  failed({"b", 1});
  EXPECT_THAT(judged(equal_bits({is("m", {})})).reason, IsGolden());
}

TEST_F(BitsMissing, BitsThatChangeByThemselvesAreTheReasonThatIsTold) {
  begin("s", {"variant", "m"});
  put_hash({"a", 1}, "aa", "A=1", false);
  put_hash({"b", 1}, "aa");
  const JudgedClaim claim = judged(equal_bits({is("variant", {})}));
  EXPECT_EQ(claim.not_repeatable, 1u) << "as the column `repeatable` says, whatever the hashes";
  EXPECT_THAT(claim.reason, IsGolden());
}

struct CountedClaims : ClaimsTest {
  void put_counted(const std::vector<Value>& values, double bytes) {
    put_point(values, 1e-3, [this, bytes](Job& made) {
      counted.push_back({{"device_peak_bytes", bytes}});
      made.record.metrics = counted.back();
    });
  }
  static ClaimTask of_bytes(ClaimKind kind, double bound) {
    return of_kind(kind, bound, "device_peak_bytes");
  }
  std::list<std::vector<MetricRecord>> counted;  // each lives until it is stored
};

TEST_F(CountedClaims, WhatAVariantCountsHasBoundsToo) {
  begin("s", {"bytes"});
  put_counted({1}, 4096);
  put_counted({2}, 8192);
  ClaimTask most = of_bytes(ClaimKind::at_most, 8192);
  EXPECT_EQ(judged(most).against, 0u);
  EXPECT_THAT(text, HasSubstr("device_peak_bytes is 4.0 KiB to 8.0 KiB at 2 points"));
  most.claim.bound = 5000;
  EXPECT_EQ(judged(most).verdict, ClaimVerdict::refuted);
  most.claim.metric = "device_peak_byte";
  EXPECT_EQ(judged(most).reason, "of 6 jobs 0 failed, 0 are graded below B, 6 have no device_peak_byte");
}

TEST_F(CountedClaims, ACounterMayBeNothing) {
  begin("s", {"bytes"});
  put_counted({1}, 0);
  put_counted({2}, 0);
  ClaimTask claim = of_bytes(ClaimKind::at_most, 1);
  EXPECT_EQ(judged(claim).verdict, ClaimVerdict::confirmed);
  EXPECT_THAT(text, HasSubstr("device_peak_bytes is 0 B to 0 B at 2 points"));
  claim.claim.kind = ClaimKind::at_least;
  EXPECT_EQ(judged(claim).verdict, ClaimVerdict::refuted);
}

TEST_F(CountedClaims, AndLittleIsToldAsWhatItIs) {
  begin("s", {"bytes"});
  put_counted({1}, 0);
  put_counted({2}, 1024);
  ClaimTask claim = of_bytes(ClaimKind::at_most, 1 << 30);
  EXPECT_EQ(judged(claim).verdict, ClaimVerdict::confirmed);
  EXPECT_THAT(text, HasSubstr("device_peak_bytes is 0 B to 1.0 KiB at 2 points"));
  claim.claim.kind = ClaimKind::at_least;
  EXPECT_EQ(judged(claim).verdict, ClaimVerdict::refuted);
  EXPECT_THAT(text, HasSubstr("device_peak_bytes is 0 B to 1.0 KiB at 2 points"));
}

TEST_F(CountedClaims, LessMemoryIsThatOfTheDeviceWhereBothSidesHaveIt) {
  begin("s", {"variant"});
  put_counted({"small"}, 4096);
  put_counted({"large"}, 8192);
  ClaimTask memory = faster({is("variant", {"small"})}, {is("variant", {"large"})});
  memory.claim.kind = ClaimKind::less_memory;
  EXPECT_EQ(judged(memory).verdict, ClaimVerdict::confirmed);
  EXPECT_THAT(text, HasSubstr("variant=large takes 2x the device's memory of variant=small"));
  begin("t", {"variant"});
  put(job({"small"}, 1).failed(Outcome::failed_run, "no"));
  put(job({"large"}, 1).failed(Outcome::failed_run, "no"));
  EXPECT_EQ(judged(memory).reason, "of 2 jobs 2 failed, 0 are graded below B, 0 have no peak_memory_bytes");
  begin("u", {"variant"});
  put_counted({"small"}, 4096);
  put_counted({"large"}, 8192);
  put_point({"small"}, 1e-3);  // of these only the host's is known, and that is not
  EXPECT_EQ(judged(memory).verdict, ClaimVerdict::undecided);
  EXPECT_THAT(text, HasSubstr("peak_memory_bytes"));
}

}  // namespace
}  // namespace kernsweep
