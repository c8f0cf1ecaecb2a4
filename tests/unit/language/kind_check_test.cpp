// Kinds of values against kinds of parameters, before anything runs.
#include "language/check/kind_check.hpp"

#include <gmock/gmock.h>

#include "language/check/catalogue_check.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"
#include "tests/unit/parameter_kinds.hpp"

namespace kernsweep::sweep_test {
namespace {

CatalogueParameter optional(std::string name, std::string kind) {
  return {std::move(name), std::move(kind), {}, false, ""};
}

// `m` is the family's; `tile` is blocked's and, of another kind, packed's.
Catalogue gemm_of_kinds() {
  CatalogueFamily family;
  family.name = "gemm";
  family.parameters = {optional("m", "integer"), optional("alpha", "float"), optional("layout", "text"),
                       optional("exact", "boolean"), optional("note", "any")};
  family.variants = {{"naive", {}, true, ""},
                     {"blocked", {optional("tile", "integer")}, true, ""},
                     {"packed", {optional("tile", "text")}, true, ""}};
  return Catalogue{{family}};
}

Catalogue with_one_variant() {
  Catalogue one = gemm_of_kinds();
  one.families[0].variants.resize(1);
  return one;
}

std::string verdict_of_kinds(const std::string& rest, const Catalogue& catalogue = gemm_of_kinds(),
                             const Replacements& replacements = {}) {
  const auto e = expansion_of(rest, replacements);
  const auto good = check_against(e.sweep(), e, catalogue);
  return good ? "" : good.error().message;
}

TEST(KindCheck, AgreesWithTheSlotOnEverySortOfValue) {
  for (const KindCase& each : kKindCases) {
    CatalogueFamily family;
    family.name = "gemm";
    family.parameters = {optional("p", each.kind)};
    family.variants = {{"naive", {}, true, ""}};
    const std::string told = verdict_of_kinds(
        "axes: {variant: naive, p: [" + std::string(each.written) + "]}", Catalogue{{family}});
    EXPECT_EQ(told.empty(), each.taken) << each.kind << " " << each.written << ": " << told;
  }
}

TEST(KindCheck, SaysWhatStandsWhereAndWhatToWrite) {
  EXPECT_EQ(
      verdict_of_kinds("axes: {variant: naive, m: one}"),
      "s.yaml:4:27: parameter 'm' of kernel 'gemm' must be an integer, but 'one' is text; write whole "
      "numbers, without point or quotes");
  EXPECT_EQ(verdict_of_kinds("axes: {variant: naive, alpha: [big]}"),
            "s.yaml:4:32: parameter 'alpha' of kernel 'gemm' must be a number, but 'big' is text; write "
            "plain numbers, without quotes");
  EXPECT_EQ(verdict_of_kinds("axes: {variant: naive, exact: [0, 1]}"),
            "s.yaml:4:32: parameter 'exact' of kernel 'gemm' must be true or false, but '0' is an integer; "
            "write true or false, without quotes");
  EXPECT_EQ(
      verdict_of_kinds("axes: {variant: naive, layout: [true]}"),
      "s.yaml:4:33: parameter 'layout' of kernel 'gemm' must be text, but 'true' is a boolean; put the "
      "values in quotes");
  EXPECT_EQ(verdict_of_kinds("axes: {variant: blocked, tile: [4.5]}"),
            "s.yaml:4:33: parameter 'tile' of variant 'blocked' must be an integer, but '4.5' is a float; "
            "write whole numbers, without point or quotes");
}

// One value decides the kind of all: the error names the value that does not fit, not the first.
TEST(KindCheck, BlamesTheValueThatMadeTheAxisWhatItIs) {
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, m: [1, null, 2, one, 3]}"), IsGolden());
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, m: [1, 2.5, 3]}"), IsGolden());
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, m: [\"\", 2]}"), IsGolden());
}

// Quotes and points are not kept: of several values that fit as they are written, none can be named.
TEST(KindCheck, BlamesTheAxisWhereNoValueCanBeTold) {
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, m: [1, \"2\"]}"), IsGolden());
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, m: [1, 2.0]}"), IsGolden());
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, m: [null, \"2\"]}"), IsGolden());
}

TEST(KindCheck, LooksOnlyAtVariantsThatAreSwept) {
  EXPECT_THAT(verdict_of_kinds("axes: {variant: [packed], tile: [8x8]}"), "");
  EXPECT_THAT(verdict_of_kinds("axes: {variant: [packed, blocked], tile: [8x8]}"), IsGolden());
  EXPECT_THAT(verdict_of_kinds("axes: {variant: [blocked, packed], tile: [8]}"), IsGolden());
}

TEST(KindCheck, WhenKeepsAValueFromAVariant) {
  EXPECT_EQ(verdict_of_kinds("axes:\n  variant: [blocked, packed]\n"
                             "  tile: {values: [8x8], when: variant == 'packed'}"),
            "");
  EXPECT_THAT(verdict_of_kinds("axes:\n  variant: [blocked, packed]\n"
                               "  tile: {values: [8x8], when: variant != 'naive'}"),
              IsGolden());
}

TEST(KindCheck, ZipsAndRecordsKeepAValueFromAVariant) {
  EXPECT_EQ(verdict_of_kinds(
                "axes: {variant: [blocked, packed], tile: [null, 8x8]}\nzip: {both: [variant, tile]}"),
            "");
  EXPECT_THAT(verdict_of_kinds(
                  "axes: {variant: [packed, blocked], tile: [null, 8x8]}\nzip: {both: [variant, tile]}"),
              IsGolden());
  EXPECT_EQ(verdict_of_kinds("axes: {how: [{variant: packed, tile: 8x8}, {variant: blocked, tile: null}]}"),
            "");
  EXPECT_THAT(verdict_of_kinds(
                  "axes:\n  how:\n    - {variant: packed, tile: 8x8}\n    - {variant: blocked, tile: 4x4}"),
              IsGolden());  // one column, one kind
}

TEST(KindCheck, FiltersKeepAValueFromAVariant) {
  const std::string axes = "axes: {variant: [blocked, packed], tile: [8x8, 4x4]}\n";
  EXPECT_NE(verdict_of_kinds(axes), "");
  EXPECT_EQ(verdict_of_kinds(axes + "exclude: [{variant: blocked}]"), "");
  EXPECT_NE(verdict_of_kinds(axes + "exclude: [{variant: blocked, tile: 8x8}]"), "");
  EXPECT_EQ(verdict_of_kinds(axes + "constraints: [variant == 'packed']"), "");
  EXPECT_EQ(verdict_of_kinds(axes, gemm_of_kinds(), Replacements{{}, {}, "variant == 'packed'", "", false}),
            "");
}

TEST(KindCheck, IncludedPointsAreHeldToo) {
  EXPECT_EQ(verdict_of_kinds("axes: {variant: [naive]}\ninclude: [{variant: blocked, tile: 8}]"), "");
  EXPECT_THAT(verdict_of_kinds("axes: {variant: [naive]}\ninclude: [{variant: blocked, tile: 8x8}]"),
              IsGolden());
  EXPECT_EQ(verdict_of_kinds("axes: {variant: [naive]}\ninclude: [{variant: packed, tile: 8x8}]"), "");
  // An axis with only null has the kind text, and so has what is included with it.
  EXPECT_THAT(verdict_of_kinds("axes: {variant: [naive], m: [null]}\ninclude: [{variant: naive, m: 5}]"),
              IsGolden());
}

// The included points are the last; those of the axes are far too many to be tried one by one.
TEST(KindCheck, IncludedPointsAreHeldBesideAnyNumberOfOthers) {
  EXPECT_THAT(verdict_of_kinds("axes: {variant: [naive], m: {range: [1, 1000000000]}}\n"
                               "include: [{variant: blocked, m: 5, tile: 8x8}]"),
              IsGolden());
}

TEST(KindCheck, ALongRangeHasOneKind) {
  const std::string range = "{range: [1, 4000000000000]}";
  EXPECT_EQ(verdict_of_kinds("axes: {variant: naive, m: " + range + "}"), "");
  EXPECT_EQ(verdict_of_kinds("axes: {variant: naive, alpha: " + range + "}"), "");
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, layout: " + range + "}"), IsGolden());
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, m: {range: [0, 1], step: 0.5}}"), IsGolden());
}

// Half of 4e12 points would fail, and the first that does is number 2e12.
TEST(KindCheck, FindsAClashFarFromTheFirstPoint) {
  EXPECT_THAT(verdict_of_kinds("axes:\n  variant: [packed, blocked]\n  m: {range: [1, 2000000000000]}\n"
                               "  tile: [8x8]"),
              IsGolden());
}

// Nothing clashes at any of them; trying all would take hours.
TEST(KindCheck, TriesABoundedNumberOfPoints) {
  EXPECT_EQ(verdict_of_kinds("axes:\n  variant: [packed, blocked]\n  m: {range: [1, 2000000000000]}\n"
                             "  tile: {values: [8x8], when: variant == 'packed'}"),
            "");
}

TEST(KindCheck, DerivedColumnsReachNoKernel) {
  EXPECT_EQ(verdict_of_kinds("axes: {variant: naive, m: [1]}\nderive: {layout: m + 1, alpha: m > 0}"), "");
}

TEST(KindCheck, WithoutAVariantTheOnlyOneIsMeant) {
  EXPECT_NE(verdict_of_kinds("axes: {m: [one]}", with_one_variant()), "");
  EXPECT_NE(verdict_of_kinds("axes: {variant: [null], m: [one]}", with_one_variant()), "");
}

TEST(KindCheck, ASweepWithoutPointsHasNothingToRefuse) {
  EXPECT_EQ(verdict_of_kinds("axes: {variant: naive, m: [one]}\nconstraints: ['1 == 2']"), "");
}

TEST(KindCheck, ReplacementsAreNamedInsteadOfLines) {
  EXPECT_THAT(verdict_of_kinds("axes: {variant: naive, m: [1]}", gemm_of_kinds(),
                               Replacements{{"m=[2,x]"}, {}, "", "", false}),
              IsGolden());
}

TEST(KindCheck, ValuesOfATableAreFoundInItsFile) {
  const Folder folder;
  folder.write("shapes.csv", "label,m\na,1\nb,2\n# none\nc,2.5\n");
  const std::string path =
      folder.write("s.yaml", with_head("axes: {variant: naive, s: {table: shapes.csv}}"));
  const auto e = Expansion::read(path, {});
  ASSERT_TRUE(e) << e.error().message;
  const auto good = check_against(e->sweep(), *e, gemm_of_kinds());
  ASSERT_FALSE(good);
  EXPECT_THAT(good.error().message, IsGolden());
}

}  // namespace
}  // namespace kernsweep::sweep_test
