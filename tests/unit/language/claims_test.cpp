// Claims: what is read, what is refused and where, and which points they are about.
#include "language/file/claims.hpp"

#include <gmock/gmock.h>

#include "language/check/explain.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kClaimAxes =
    "axes: {variant: [naive, blas], threads: [1, 2], shape: [{label: a, m: 1}, {label: b, m: 3}], "
    "env.X: {values: [null, '1'], when: 'variant == \"blas\"'}}\nderive: {twice: 2 * m}\n";

// Line 6 of the file; the claim begins in column 10.
std::string claim_error(const std::string& claim) {
  return error_of(kClaimAxes + "claims: [" + claim + "]");
}

const Claim& first_claim(const Expansion& expansion) {
  return expansion.claim(0);
}

TEST(Claims, EveryFormIsRead) {
  const Expansion e = expansion_of(
      kClaimAxes +
      "claims:\n"
      "  - {name: a, faster: {variant: blas}, than: {variant: naive}, where: threads == 1 and twice > 2, "
      "by: 1.5}\n"
      "  - {name: b, less_memory: {variant: blas, threads: 1}, than: {variant: [naive]}, by: [2, 4]}\n"
      "  - {name: c, at_least: {gflops: 100}}\n"
      "  - {name: d, at_most: {median_s: 1e-3}, where: m == 3}\n"
      "  - {name: e, error_below: 1e-5}\n"
      "  - {name: f, equal_bits: threads}\n"
      "  - {name: g, equal_bits: [threads, cache]}\n"
      "  - {name: h, equal_bits: {env.X: [null, '1']}, x-note: mine}\n"
      "  - {name: i, limited_by: memory, where: m > 1}\n"
      "  - {name: j, ends_as: out_of_memory}\n"
      "  - {name: k, at_most: {device_peak_bytes: 4096}}\n");
  ASSERT_EQ(e.claims(), 11u);
  EXPECT_EQ(
      text_of(e.claim(0)),
      "faster: variant=blas than variant=naive, at least 1.5 times, where threads == 1 and twice > 2");
  EXPECT_EQ(text_of(e.claim(1)), "less_memory: variant=blas, threads=1 than variant=naive, 2 to 4 times");
  EXPECT_EQ(text_of(e.claim(2)), "at_least: gflops 100");
  EXPECT_EQ(text_of(e.claim(3)), "at_most: median_s 0.001, where m == 3");
  EXPECT_EQ(text_of(e.claim(4)), "error_below: 1e-05");
  EXPECT_EQ(text_of(e.claim(5)), "equal_bits: threads");
  EXPECT_EQ(text_of(e.claim(6)), "equal_bits: threads, cache");
  EXPECT_EQ(text_of(e.claim(7)), "equal_bits: env.X=null or 1");
  EXPECT_EQ(text_of(e.claim(8)), "limited_by: memory, where m > 1");
  EXPECT_EQ(text_of(e.claim(9)), "ends_as: out_of_memory");
  EXPECT_EQ(text_of(e.claim(10)), "at_most: device_peak_bytes 4096");
}

TEST(Claims, WithoutByMoreThanOnceIsClaimedAndOnceItselfIsNot) {
  const Claim plain = first_claim(
      expansion_of(kClaimAxes + "claims: [{name: a, faster: {threads: 2}, than: {threads: 1}}]"));
  EXPECT_FALSE(plain.by.holds(1));
  EXPECT_TRUE(plain.by.holds(1.001));
  const Claim given = first_claim(expansion_of(
      kClaimAxes + "claims: [{name: a, faster: {threads: 2}, than: {threads: 1}, by: [1, 2]}]"));
  EXPECT_TRUE(given.by.holds(1));
  EXPECT_TRUE(given.by.holds(2));
  EXPECT_FALSE(given.by.holds(2.001));
}

TEST(Claims, PointsAndKeysAreThoseOfTheSweepWithoutThem) {
  const Expansion without = expansion_of(kClaimAxes);
  const Expansion with = expansion_of(kClaimAxes + "claims: [{name: a, error_below: 1e-5}]");
  EXPECT_EQ(points_of(with), points_of(without));
  Point point;
  for (std::uint64_t i = 0; i < with.raw_points(); ++i) {
    with.point_at(i, point);
    EXPECT_EQ(with.key_of(point, with.job_at(i)), without.key_of(point, without.job_at(i)));
  }
}

TEST(Claims, ShapesThatAreNoneAreToldWithTheirPlace) {
  EXPECT_EQ(error_of(kClaimAxes + "claims: {name: x}"),
            "s.yaml:6:9: claims takes a list of mappings, not a mapping");
  EXPECT_EQ(claim_error("x"), "s.yaml:6:10: a claim is a mapping, not 'x'");
  EXPECT_EQ(claim_error("{error_below: 1}"),
            "s.yaml:6:10: a claim needs `name`; add for example `name: blas pays`");
  EXPECT_EQ(claim_error("{name: [a], error_below: 1}"), "s.yaml:6:17: name takes text, not a list");
  EXPECT_EQ(claim_error("{name: a, fastr: {threads: 1}}"),
            "s.yaml:6:20: a claim has no key 'fastr'; did you mean 'faster'?");
  EXPECT_EQ(
      claim_error("{name: a, where: m == 1}"),
      "s.yaml:6:10: the claim 'a' says nothing; it needs one of faster, less_memory, at_least, at_most, "
      "error_below, equal_bits, limited_by, ends_as");
  EXPECT_EQ(
      claim_error("{name: a, error_below: 1, equal_bits: m}"),
      "s.yaml:6:48: a claim says one thing, not both 'error_below' and 'equal_bits'; make it two claims");
  EXPECT_EQ(claim_error("{name: a, error_below: 1}, {name: a, error_below: 2}"),
            "s.yaml:6:44: there is a claim called 'a' in line 6 already; rename one");
}

TEST(Claims, SidesThatAreNoneAreToldWithTheirPlace) {
  EXPECT_EQ(claim_error("{name: a, faster: {threads: 1}}"),
            "s.yaml:6:10: faster needs `than`: what it is compared with");
  EXPECT_THAT(claim_error("{name: a, faster: blas, than: {variant: naive}}"), IsGolden());
  EXPECT_THAT(claim_error("{name: a, faster: {}, than: {variant: naive}}"), IsGolden());
  EXPECT_EQ(claim_error("{name: a, faster: {threads: []}, than: {threads: 1}}"),
            "s.yaml:6:38: 'threads' has no value");
  EXPECT_EQ(claim_error("{name: a, faster: {threads: {a: 1}}, than: {threads: 1}}"),
            "s.yaml:6:38: 'threads' takes a value or a list of values, not a mapping");
  EXPECT_EQ(claim_error("{name: a, faster: {threads: 1}, than: {variant: naive}}"),
            "s.yaml:6:48: a point could be on both sides; name an axis in `faster` and in `than` with "
            "values that differ");
  EXPECT_THAT(claim_error("{name: a, faster: {threads: [1, 2]}, than: {threads: 2}}"), IsGolden());
  EXPECT_EQ(claim_error("{name: a, error_below: 1, than: {threads: 1}}"),
            "s.yaml:6:42: `than` belongs to faster and less_memory, not to error_below");
  EXPECT_EQ(claim_error("{name: a, error_below: 1, by: 2}"),
            "s.yaml:6:40: `by` belongs to faster and less_memory, not to error_below");
}

TEST(Claims, NumbersThatAreNoneAreToldWithTheirPlace) {
  const std::string pair = "{name: a, faster: {threads: 2}, than: {threads: 1}, by: ";
  EXPECT_EQ(claim_error(pair + "fast}"), "s.yaml:6:66: by takes a number above 0, not 'fast'");
  EXPECT_EQ(claim_error(pair + "0}"), "s.yaml:6:66: by takes a number above 0, not '0'");
  EXPECT_EQ(claim_error(pair + "-1}"), "s.yaml:6:66: by takes a number above 0, not '-1'");
  EXPECT_EQ(claim_error(pair + "[2]}"), "s.yaml:6:66: by takes a number, or two: [least, most], not 1");
  EXPECT_EQ(claim_error(pair + "[4, 2]}"), "s.yaml:6:66: by: 4 is more than 2; write [least, most]");
  EXPECT_EQ(claim_error(pair + "[1, x]}"), "s.yaml:6:70: by takes a number above 0, not 'x'");
  EXPECT_EQ(claim_error("{name: a, error_below: nan}"),
            "s.yaml:6:33: error_below takes a number above 0, not 'nan'");
  EXPECT_EQ(claim_error("{name: a, at_least: {gflop: 1}}"),
            "s.yaml:6:31: there is no metric 'gflop'; did you mean 'gflops'?");
  EXPECT_THAT(claim_error("{name: a, at_least: {GB/s: 1}}"), IsGolden());
  EXPECT_EQ(claim_error("{name: a, at_most: {median_s: 1ms}}"),
            "s.yaml:6:40: median_s takes a number above 0, not '1ms'");
  EXPECT_EQ(claim_error("{name: a, at_most: {median_s: 1, gflops: 2}}"),
            "s.yaml:6:29: at_most takes one metric and its number, as {gflops: 100}, not 2 of them");
  EXPECT_EQ(claim_error("{name: a, limited_by: bandwidth}"),
            "s.yaml:6:32: limited_by is one of compute, memory, overhead, launch, not 'bandwidth'");
  EXPECT_THAT(claim_error("{name: a, ends_as: [ok]}"), IsGolden());
  EXPECT_EQ(claim_error("{name: a, equal_bits: []}"), "s.yaml:6:32: equal_bits names no axis");
}

TEST(Claims, AxesAndValuesMustExist) {
  EXPECT_EQ(claim_error("{name: a, faster: {thraeds: 2}, than: {thraeds: 1}}"),
            "s.yaml:6:29: claims: no axis is called 'thraeds'; did you mean 'threads'?");
  EXPECT_EQ(claim_error("{name: a, faster: {variant: blass}, than: {variant: naive}}"),
            "s.yaml:6:38: 'variant' has no value blass; did you mean 'blas'?");
  EXPECT_EQ(claim_error("{name: a, faster: {threads: 2}, than: {threads: [1, 3]}}"),
            "s.yaml:6:62: 'threads' has no value 3; did you mean '1'?");
  EXPECT_EQ(claim_error("{name: a, faster: {threads: two}, than: {threads: 1}}"),
            "s.yaml:6:38: 'threads' has no value two; known: 1, 2");
  EXPECT_EQ(claim_error("{name: a, faster: {shape: a}, than: {shape: b}}"),
            "s.yaml:6:29: claims: 'shape' is a record axis; its columns are label, m");
  EXPECT_EQ(
      claim_error("{name: a, faster: {twice: 2}, than: {twice: 6}}"),
      "s.yaml:6:29: claims: 'twice' follows from other columns and is not an axis; `where` can read it");
  EXPECT_EQ(claim_error("{name: a, equal_bits: thread}"),
            "s.yaml:6:32: claims: no axis is called 'thread'; did you mean 'threads'?");
  EXPECT_EQ(claim_error("{name: a, faster: {cache: warm}, than: {cache: cold}}"),
            "s.yaml:6:36: 'cache' is hot or cold, not 'warm'");
  EXPECT_EQ(claim_error("{name: a, faster: {cache: hot}, than: {cache: cold}}"),
            "s.yaml:6:56: 'cache' has no value cold in this sweep; add `cache: [hot, cold]` to `measure`");
  EXPECT_EQ(claim_error("{name: a, equal_bits: {cache: [hot, cold]}}"),
            "s.yaml:6:46: 'cache' has no value cold in this sweep; add `cache: [hot, cold]` to `measure`");
  EXPECT_EQ(claim_error("{name: a, error_below: 1, where: n == 1}"),
            "s.yaml:6:43: in 'n == 1': no column here is called 'n'; did you mean 'm'?");
  EXPECT_EQ(claim_error("{name: a, error_below: 1, where: m ==}"),
            "s.yaml:6:43: in 'm ==': column 5: expected a value, found the end");
}

TEST(Claims, ValuesOfAnIncludeAndOfAConditionalAxisAreKnown) {
  EXPECT_EQ(error_of("axes: {variant: [a, b], x: {values: [7, 8], when: 'variant == \"b\"'}}\n"
                     "include: [{variant: c, x: null}]\n"
                     "claims: [{name: a, faster: {variant: c}, than: {variant: a}}, "
                     "{name: b, faster: {x: 7}, than: {x: null}}]"),
            "");
  EXPECT_EQ(error_of("axes: {n: {range: [1, 1000000000]}}\n"
                     "claims: [{name: a, faster: {n: 999999999}, than: {n: 1}}]"),
            "");
  EXPECT_THAT(error_of("axes: {n: {range: [1, 1000000000]}}\n"
                       "claims: [{name: a, faster: {n: 1000000001}, than: {n: 1}}]"),
              IsGolden());
}

TEST(Claims, ACacheStateThatTheCommandLineTookAwayMakesANote) {
  const std::string text = kClaimAxes + "measure: {cache: [hot, cold]}\n" +
                           "claims: [{name: a, faster: {cache: hot}, than: {cache: cold}}]";
  EXPECT_EQ(error_of(text), "");
  Replacements replacements;
  replacements.settings = {"measure.cache=[cold]"};
  const auto e = parsed(text, replacements);
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(e->notes(),
              ElementsAre("s.yaml:7:36: 'cache' has no value hot this time; the claim will find no point"));
  replacements.point = 0;
  EXPECT_THAT(parsed(text, replacements)->notes(), testing::IsEmpty()) << "a replay is about one point";
}

TEST(Claims, AnAxisReplacedOnTheCommandLineMakesANoteNotAnError) {
  Replacements replacements;
  replacements.axes = {"threads=[1]"};
  const auto e =
      parsed(kClaimAxes + "claims: [{name: a, faster: {threads: 2}, than: {threads: 1}}]", replacements);
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(e->notes(),
              ElementsAre("s.yaml:6:38: 'threads' has no value 2 this time; the claim will find no point"));
}

TEST(Claims, CheckCountsThePointsOfEachSide) {
  // naive: 2 threads x 2 shapes = 4 points; blas: 4 x 2 values of env.X = 8. Of m == 3 the half. env.X is
  // null for the 4 of naive, where it is not active, and for 4 of blas.
  const auto report = check_report(
      expansion_of(kClaimAxes +
                   "claims: [{name: a, faster: {variant: blas}, than: {variant: naive}}, "
                   "{name: b, faster: {variant: blas, threads: 1}, than: {variant: naive}, where: m == 3}, "
                   "{name: c, faster: {env.X: null}, than: {env.X: '1'}}, "
                   "{name: d, error_below: 1, where: m > 7}]"));
  ASSERT_EQ(report.claims.size(), 4u);
  EXPECT_TRUE(report.claims_exact);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
  for (const auto& claim : report.claims) counts.emplace_back(claim.first, claim.second);
  EXPECT_THAT(counts, ElementsAre(std::pair(8, 4), std::pair(2, 2), std::pair(8, 4), std::pair(0, 0)));
  EXPECT_THAT(report.notes, ElementsAre("the claim 'd' has no point to judge by"));
  EXPECT_THAT(to_text(report), IsGolden());
}

TEST(Claims, OfTheSweepsThatAreShippedEachFindPoints) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/sweeps/claims")) {
    const auto e = Expansion::read(entry.path().string(), {});
    ASSERT_TRUE(e) << e.error().message;
    const auto report = check_report(*e);
    EXPECT_FALSE(report.claims.empty()) << entry.path();
    EXPECT_THAT(report.notes, IsEmpty()) << entry.path();  // one says so of a claim without a point
    ++files;
  }
  EXPECT_GE(files, 5);
}

TEST(Claims, OfAStoredTextAreReadWithoutItsTables) {
  const auto claims = claims_of_text(
      with_head("axes: {shape: {table: gone.csv}}\nclaims: [{name: a, error_below: 1e-3, where: m > 1}]"),
      "s.yaml");
  ASSERT_TRUE(claims) << claims.error().message;
  ASSERT_EQ(claims->size(), 1u);
  EXPECT_EQ((*claims)[0].claim.bound, 1e-3);
  EXPECT_THAT((*claims)[0].where->names(), ElementsAre("m"));
  const auto none = claims_of_text(with_head("axes: {a: 1}"), "s.yaml");
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
}

}  // namespace
}  // namespace kernsweep::sweep_test
