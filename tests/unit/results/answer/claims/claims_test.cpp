// Claims judged from a database: what is paired, what is left out, and the texts.
#include "tests/unit/results/answer/claims/claims_fixture.hpp"

namespace kernsweep {
namespace {

using test::ClaimsTest;
using test::is;
using test::Job;
using testing::HasSubstr;

TEST_F(ClaimsTest, PairsAgreeInAllThatNeitherSideNames) {
  begin("s", {"variant", "m", "threads"});
  put_point({"naive", 8, 1}, 3e-3);
  put_point({"blas", 8, 1}, 1e-3);
  put_point({"naive", 16, 1}, 8e-3);
  put_point({"blas", 16, 1}, 2e-3);
  put_point({"blas", 16, 2}, 1e-6);  // naive was not measured with 2 threads
  const JudgedClaim claim = judged(faster({is("variant", {"blas"})}, {is("variant", {"naive"})}));
  EXPECT_EQ(claim.verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(claim.pairs, 2u);
  EXPECT_EQ(claim.alone, 1u);
  // The ratios are 3 and 4: their geometric mean is sqrt(12).
  EXPECT_NEAR(claim.evidence.ratio, 3.4641, 1e-3);
  EXPECT_NEAR(claim.evidence.lowest, 3, 1e-9);
  EXPECT_NEAR(claim.evidence.highest, 4, 1e-9);
  EXPECT_THAT(text, HasSubstr("variant=blas is 3.464x as fast as variant=naive"));
  EXPECT_THAT(text, HasSubstr("s@1: 1 confirmed, 0 refuted, 0 undecided\n"));
}

TEST_F(ClaimsTest, ASideMayNameMoreThanOneAxis) {
  begin("s", {"variant", "m", "threads"});
  put_point({"naive", 8, 1}, 3e-3);
  put_point({"naive", 8, 2}, 9e-3);
  put_point({"blas", 8, 1}, 1e-3);
  put_point({"blas", 8, 2}, 1e-4);
  const JudgedClaim claim = judged(faster({is("variant", {"blas"}), is("threads", {"2"})},
                                          {is("variant", {"naive"}), is("threads", {"1"})}));
  EXPECT_EQ(claim.pairs, 1u);
  EXPECT_NEAR(claim.evidence.ratio, 30, 1e-9);  // 3 ms over 0.1 ms
}

TEST_F(ClaimsTest, WhatIsNotSetOnOneSideDoesNotKeepPartnersApart) {
  // env.X belongs to blas: naive is compared with each of its values. NULL in `env.X` of blas is a value.
  begin("s", {"variant", "m", "env.X"});
  put_point({"naive", 8, Null{}}, 3e-3);
  put_point({"blas", 8, Null{}}, 1e-3);
  put_point({"blas", 8, "1"}, 1.5e-3);
  const JudgedClaim all = judged(faster({is("variant", {"blas"})}, {is("variant", {"naive"})}));
  EXPECT_EQ(all.pairs, 2u);
  EXPECT_EQ(all.verdict, ClaimVerdict::confirmed);
  ClaimTask task = faster({is("env.X", {"null"})}, {is("env.X", {"1"})});
  const JudgedClaim unset = judged(task);
  EXPECT_EQ(unset.pairs, 1u);  // naive has no partner with env.X=1
  EXPECT_NEAR(unset.evidence.ratio, 1.5, 1e-9);
}

TEST_F(ClaimsTest, OnePairAgainstIsNamedWithItsResults) {
  begin("s", {"variant", "m"});
  for (int m : {1, 2, 4}) put_point({"naive", m}, 3e-3);
  for (int m : {1, 2}) put_point({"blas", m}, 1e-3);
  put_point({"blas", 4}, 6e-3);
  const JudgedClaim claim = judged(faster({is("variant", {"blas"})}, {is("variant", {"naive"})}));
  EXPECT_EQ(claim.verdict, ClaimVerdict::refuted);
  ASSERT_EQ(claim.disagreements.size(), 1u);
  EXPECT_EQ(claim.disagreements[0].point, "m=4");
  EXPECT_NEAR(claim.disagreements[0].number, 0.5, 1e-9);
  EXPECT_EQ(claim.disagreements[0].first, 16u);  // 5 points of 3 processes come before
  EXPECT_EQ(claim.disagreements[0].second, 7u);
  EXPECT_THAT(text, HasSubstr("1 of 3 pairs is against it:\n    m=4: 0.5x"));
  EXPECT_THAT(json, HasSubstr("\"verdict\": \"refuted\""));
}

// m and k follow from the label; threads does not, because `a` was measured with two values of it.
TEST_F(ClaimsTest, WhatFollowsFromTheLabelIsNotToldBesideIt) {
  begin("s", {"variant", "label", "m", "k", "threads"});
  for (const int threads : {1, 2}) {
    put_point({"naive", "a", 1, 7, threads}, 1e-3);
    put_point({"blas", "a", 1, 7, threads}, 2e-3);
  }
  put_point({"naive", "b", 2, 8, 1}, 1e-3);
  put_point({"blas", "b", 2, 8, 1}, 4e-3);
  const JudgedClaim claim = judged(faster({is("variant", {"blas"})}, {is("variant", {"naive"})}));
  ASSERT_EQ(claim.disagreements.size(), 3u);
  EXPECT_EQ(claim.disagreements[0].point, "label=b threads=1");  // the worst first
  EXPECT_EQ(claim.disagreements[1].point, "label=a threads=1");
}

TEST_F(ClaimsTest, WhereLeavesPointsOut) {
  begin("s", {"variant", "m"});
  for (int m : {1, 4}) put_point({"naive", m}, 3e-3);
  put_point({"blas", 1}, 1e-3);
  put_point({"blas", 4}, 6e-3);
  ClaimTask task = faster({is("variant", {"blas"})}, {is("variant", {"naive"})});
  task.claim.where = "m < 2";
  task.names = {"m"};
  task.where = [](std::span<const Value> values) { return *values[0].integer() < 2; };
  const JudgedClaim claim = judged(task);
  EXPECT_EQ(claim.verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(claim.pairs, 1u);
}

TEST_F(ClaimsTest, NoRowIsUndecidedWithTheReason) {
  begin("s", {"variant", "m"});
  put_point({"naive", 1}, 3e-3);
  const ClaimTask task = faster({is("variant", {"blas"})}, {is("variant", {"naive"})});
  EXPECT_EQ(judged(task).verdict, ClaimVerdict::undecided);
  EXPECT_EQ(judged(task).reason, "no measured point has variant=blas");
  put_point({"blas", 2}, 1e-3);
  EXPECT_EQ(judged(task).reason,
            "no point has a partner on the other side that agrees in all else: no value of m is on both");
  ClaimTask nowhere = task;
  nowhere.claim.where = "m > 7";
  nowhere.names = {"m"};
  nowhere.where = [](std::span<const Value>) { return false; };
  EXPECT_EQ(judged(nowhere).reason, "no measured point has variant=blas, where m > 7");
  EXPECT_EQ(judged(faster({is("k", {"1"})}, {is("k", {"2"})})).reason, "the results have no column 'k'");
  EXPECT_THAT(text, HasSubstr("c: undecided\n  the results have no column 'k'\n"));
}

TEST_F(ClaimsTest, FailedAndDoubtfulRowsAreLeftOutAndTold) {
  begin("s", {"variant"});
  put_point({"naive"}, 3e-3);
  put_point({"blas"}, 1e-3, [](Job& made) { made.record.grade = 'C'; });
  const ClaimTask task = faster({is("variant", {"blas"})}, {is("variant", {"naive"})});
  const JudgedClaim claim = judged(task);
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.reason, "of 6 jobs 0 failed, 3 are graded below B, 0 have no median_s");
  ClaimsQuestion all;
  all.worst_grade = 'C';
  EXPECT_EQ(judged(task, all).verdict, ClaimVerdict::confirmed);
  put_point({"blas"}, 2e-3, [n = 0](Job& made) mutable {
    if (n++ == 0) made.failed(Outcome::timeout_run, "too slow");
  });
  const JudgedClaim some = judged(task);
  EXPECT_EQ(some.failed, 1u);
  // Processes 2 and 3 of 2 ms are left: 2 ms and 2.002 ms, with a median of 2.001 ms.
  EXPECT_NEAR(some.evidence.ratio, 3 / 2.001, 1e-9);
}

// Faster at m=1 and slower at m=2, but the latter was disturbed: what was left out may be what matters.
TEST_F(ClaimsTest, NothingIsConfirmedWhileAPointIsLostToItsGrade) {
  begin("s", {"variant", "m"});
  for (const int m : {1, 2}) put_point({"naive", m}, 3e-3);
  put_point({"blas", 1}, 1e-3);
  put_point({"blas", 2}, 9e-3, [](Job& made) { made.record.grade = 'C'; });
  const ClaimTask task = faster({is("variant", {"blas"})}, {is("variant", {"naive"})});
  const JudgedClaim claim = judged(task);
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.evidence.verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(claim.lost, 1u);
  EXPECT_THAT(text, HasSubstr("but of 1 point every row is graded below B"));
  ClaimsQuestion all;
  all.worst_grade = 'C';
  EXPECT_EQ(judged(task, all).verdict, ClaimVerdict::refuted);
}

TEST_F(ClaimsTest, CachesAreNeverMixedUnlessTheClaimIsAboutThem) {
  begin("s", {"variant"});
  for (const auto& [cache, factor] : {std::pair(Cache::hot, 1.0), {Cache::cold, 5.0}}) {
    const auto in = [cache = cache](Job& made) { made.record.cache = cache; };
    put_point({"naive"}, 3e-3 * factor, in);
    put_point({"blas"}, 1e-3 * factor, in);
  }
  const JudgedClaim variants = judged(faster({is("variant", {"blas"})}, {is("variant", {"naive"})}));
  EXPECT_EQ(variants.pairs, 2u);
  EXPECT_NEAR(variants.evidence.highest, 3, 1e-9);
  const JudgedClaim caches = judged(faster({is("cache", {"hot"})}, {is("cache", {"cold"})}));
  EXPECT_EQ(caches.pairs, 2u);
  EXPECT_NEAR(caches.evidence.ratio, 5, 1e-9);
}

TEST_F(ClaimsTest, LevelsAreToldInTheirOwnUnit) {
  begin("s", {"m"});
  put_point({1}, 1e-2);  // 1e-9 / 1e-2 s = 1e-7 GFLOP/s
  put_point({2}, 2e-2);
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 0.03)).verdict, ClaimVerdict::confirmed);
  EXPECT_THAT(text, HasSubstr("median_s is 10.0 ms to 20.0 ms at 2 points; claimed: at most 30.0 ms"));
  const JudgedClaim late = judged(of_kind(ClaimKind::at_most, 0.015));
  EXPECT_EQ(late.verdict, ClaimVerdict::refuted);
  ASSERT_EQ(late.against, 1u);
  EXPECT_NEAR(late.disagreements[0].number, 0.02, 1e-9);
  EXPECT_EQ(late.disagreements[0].point, "m=2");
  EXPECT_LT(late.disagreements[0].bounds.low, late.disagreements[0].bounds.high);
  EXPECT_EQ(judged(of_kind(ClaimKind::at_least, 4e-8, "gflops")).verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(judged(of_kind(ClaimKind::at_least, 8e-8, "gflops")).verdict, ClaimVerdict::refuted);
}

TEST_F(ClaimsTest, EveryMetricOfBestHasBounds) {
  begin("s", {"m"});
  put_point({1}, 1e-3);
  put_point({2}, 2e-3);
  const JudgedClaim most = judged(of_kind(ClaimKind::at_most, 3e-3, "max_s"));
  EXPECT_EQ(most.verdict, ClaimVerdict::confirmed);
  EXPECT_NEAR(most.highest, 2e-3, 1e-9);
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 1.5e-3, "max_s")).against, 1u);
}

// As in `best` and `compare`, which do not look at the name of a host either.
TEST_F(ClaimsTest, ProcessesOnHostsOfOneKindAreThoseOfOnePoint) {
  const HostId hosts[] = {test::good(store.add_host({.fingerprint = digest_of("h"), .name = "a"})),
                          test::good(store.add_host({.fingerprint = digest_of("h"), .name = "b"}))};
  begin("s", {"variant"});
  const auto on_both = [&](Job& made) { made.record.host = hosts[made.record.process % 2]; };
  put_point({"naive"}, 3e-3, on_both);
  put_point({"blas"}, 1e-3, on_both);
  const JudgedClaim claim = judged(faster({is("variant", {"blas"})}, {is("variant", {"naive"})}));
  EXPECT_EQ(claim.pairs, 1u);
  EXPECT_EQ(claim.evidence.single, 0u);
  EXPECT_EQ(claim.verdict, ClaimVerdict::confirmed);
}

// Two processes that disagree by a factor of a thousand: t with one degree of freedom makes the bounds
// astronomic.
TEST_F(ClaimsTest, BoundsThatTellNothingAreToldAsThat) {
  begin("s", {"variant"});
  for (const char* variant : {"naive", "blas"})
    for (const std::uint32_t process : {0U, 1U}) {
      Job made = job({variant}, process == 0 ? 1e-6 : 1e-3);
      made.record.process = process;
      put(made);
    }
  judged(faster({is("variant", {"blas"})}, {is("variant", {"naive"})}));
  EXPECT_THAT(text, HasSubstr("(99 % interval not known); claimed"));
  EXPECT_THAT(text, HasSubstr("not known  not known"));
}

TEST_F(ClaimsTest, AMetricThatNobodyKnowsIsUndecided) {
  begin("s", {"variant"});
  put_point({"naive"}, 3e-3);
  put_point({"blas"}, 1e-3);
  EXPECT_EQ(judged(of_kind(ClaimKind::at_most, 1e6, "peak_memory_bytes")).reason,
            "of 6 jobs 0 failed, 0 are graded below B, 6 have no peak_memory_bytes: memory is read where "
            "measure.warmup.min_time and samples.min_time are 20 ms together or more");
  ClaimTask memory = faster({is("variant", {"blas"})}, {is("variant", {"naive"})});
  memory.claim.kind = ClaimKind::less_memory;
  EXPECT_EQ(judged(memory).verdict, ClaimVerdict::undecided);
}

TEST_F(ClaimsTest, LessMemoryIsJudgedByThePeak) {
  begin("s", {"variant"});
  const auto with = [](std::uint64_t bytes) {
    return [bytes](Job& made) {
      made.record.conditions.emplace();
      made.record.conditions->measured = true;
      made.record.conditions->peak_memory_bytes = bytes;
    };
  };
  put_point({"naive"}, 1e-3, with(400'000'000));
  put_point({"fused"}, 1e-3, with(100'000'000));
  ClaimTask memory = faster({is("variant", {"fused"})}, {is("variant", {"naive"})});
  memory.claim.kind = ClaimKind::less_memory;
  memory.claim.by = {3, 5, true};
  const JudgedClaim claim = judged(memory);
  EXPECT_EQ(claim.verdict, ClaimVerdict::confirmed);
  EXPECT_NEAR(claim.evidence.ratio, 4, 1e-9);
  EXPECT_THAT(text, HasSubstr("variant=naive takes 4x the memory of variant=fused"));
}

TEST_F(ClaimsTest, AWrongResultCountsAgainstErrorBelowThoughItFailed) {
  begin("s", {"m"});
  put_point({1}, 1e-3, [](Job& made) { made.record.error = 1e-7; });
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-6)).verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(judged(of_kind(ClaimKind::error_below, 1e-7)).verdict, ClaimVerdict::refuted);  // not below
  put_point({2}, 1e-3, [](Job& made) {
    made.failed(Outcome::wrong_result, "error 0.5");
    made.record.error = 0.5;
  });
  const JudgedClaim wrong = judged(of_kind(ClaimKind::error_below, 1e-6));
  EXPECT_EQ(wrong.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(wrong.against, 3u);
  EXPECT_EQ(wrong.failed, 0u);
  EXPECT_EQ(wrong.disagreements[0].point, "m=2");
  EXPECT_THAT(text, HasSubstr("the largest error of 6 jobs is 0.5; claimed: below 1e-06"));
}

struct BitsClaims : ClaimsTest {
  void put_hash(const std::vector<Value>& values, const std::string& hash,
                const std::string& inputs = "A=1", const std::string& last = "") {
    put_point(values, 1e-3, [&, n = 0](Job& made) mutable {
      made.record.output_hash = ++n == 3 && !last.empty() ? last : hash;
      made.record.inputs = inputs;
    });
  }
};

TEST_F(BitsClaims, ChangingOneAxisChangesTheBitsOrDoesNot) {
  begin("s", {"m", "threads"});
  put_hash({8, 1}, "aa", "A=8");
  put_hash({8, 2}, "aa", "A=8");
  EXPECT_EQ(judged(equal_bits({is("threads", {})})).verdict, ClaimVerdict::confirmed);
  put_hash({16, 1}, "bb", "A=16");
  put_hash({16, 2}, "cc", "A=16");
  const JudgedClaim claim = judged(equal_bits({is("threads", {})}));
  EXPECT_EQ(claim.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(claim.pairs, 2u);
  EXPECT_EQ(claim.against, 1u);
  EXPECT_EQ(claim.disagreements[0].point, "m=16 threads=1/2");
  EXPECT_THAT(text, HasSubstr("changing threads alone changes the output in 1 of 2 pairs"));
  // m changes the inputs: that is another problem.
  const JudgedClaim sizes = judged(equal_bits({is("m", {})}));
  EXPECT_EQ(sizes.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(sizes.other_inputs, 2u);
  EXPECT_EQ(sizes.reason,
            "changing m changes the inputs too, in all of 2 pairs: that is another problem, with other "
            "bits");
}

TEST_F(BitsClaims, OnlyTheNamedValuesAreHeldAgainstEachOther) {
  begin("s", {"threads"});
  put_hash({1}, "aa");
  put_hash({2}, "aa");
  put_hash({4}, "bb");
  EXPECT_EQ(judged(equal_bits({is("threads", {"1", "2"})})).verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(judged(equal_bits({is("threads", {})})).verdict, ClaimVerdict::refuted);
}

TEST_F(BitsClaims, ProcessesOfOnePointAreHeldAgainstEachOther) {
  begin("s", {"m"});
  put_hash({1}, "aa");
  EXPECT_EQ(judged(equal_bits({is("process", {})})).verdict, ClaimVerdict::confirmed);
  put_hash({2}, "bb", "A=1", "cc");
  const JudgedClaim claim = judged(equal_bits({is("process", {})}));
  EXPECT_EQ(claim.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(claim.pairs, 4u);  // the second and the third against the first, at two points
  EXPECT_EQ(claim.against, 1u);
}

// As after a rebuild: processes 0 to 2 by the old software, 3 to 5 by the new one. Libraries that only one
// of two has loaded make no other kind of software of it.
TEST_F(BitsClaims, KindsOfSoftwareAreHeldAgainstEachOther) {
  const auto software = [&](const std::string& version, const std::string& libraries) {
    SoftwareRecord record;
    record.version = version;
    record.libraries = libraries;
    record.identity = digest_of(version + libraries);
    return test::good(store.add_software(record));
  };
  const SoftwareId old = software("1", ""), fresh = software("2", "");
  const SoftwareId twin = software("2", "/lib/liballoc.so.1 00112233445566778899aabbccddeeff");
  const auto put_by = [&](int m, SoftwareId by, std::uint32_t from, const char* hash) {
    put_point({m}, 1e-3, [&](Job& made) {
      made.record.process += from;
      made.record.software = by;
      made.record.output_hash = hash;
      made.record.inputs = "A=1";
    });
  };
  begin("s", {"m"});
  put_by(1, old, 0, "aa");
  put_by(1, fresh, 3, "aa");
  put_by(1, twin, 6, "aa");
  const JudgedClaim same = judged(equal_bits({is("software", {})}));
  EXPECT_EQ(same.pairs, 1u) << "of one kind there is one unit, in however many processes";
  EXPECT_EQ(same.verdict, ClaimVerdict::confirmed);
  put_by(2, old, 0, "aa");
  put_by(2, fresh, 3, "bb");
  const JudgedClaim other = judged(equal_bits({is("software", {})}));
  EXPECT_EQ(other.pairs, 2u);
  EXPECT_EQ(other.against, 1u);
  EXPECT_EQ(other.verdict, ClaimVerdict::refuted);
  // Processes of two kinds of software are no pair of processes; with both named they are.
  EXPECT_EQ(judged(equal_bits({is("process", {})})).verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(judged(equal_bits({is("process", {}), is("software", {})})).against, 3u);
}

TEST_F(BitsClaims, APointThatDiffersFromItselfTellsNothingAboutAnAxis) {
  begin("s", {"threads"});
  put_hash({1}, "aa");
  put_hash({2}, "bb", "A=1", "cc");
  const JudgedClaim claim = judged(equal_bits({is("threads", {})}));
  EXPECT_EQ(claim.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(claim.not_repeatable, 1u);
}

TEST_F(BitsClaims, SettingsOfOneVariantDoNotKeepVariantsApart) {
  begin("s", {"variant", "env.X"});
  put_hash({"naive", Null{}}, "aa");
  put_hash({"blas", "1"}, "bb");
  put_hash({"blas", "2"}, "bb");
  const JudgedClaim claim = judged(equal_bits({is("variant", {})}));
  EXPECT_EQ(claim.pairs, 2u);
  EXPECT_EQ(claim.verdict, ClaimVerdict::refuted);
}

TEST_F(BitsClaims, RowsWithoutAHashAreLeftOut) {
  begin("s", {"threads"});
  put_point({1}, 1e-3);
  put_point({2}, 1e-3);
  EXPECT_EQ(judged(equal_bits({is("threads", {})})).reason,
            "of 6 jobs 0 failed, 0 are graded below B, 6 have no output hash");
}

}  // namespace
}  // namespace kernsweep
