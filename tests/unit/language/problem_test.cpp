// What is the problem of a sweep, and what are its settings.
#include <gmock/gmock.h>

#include "language/check/explain.hpp"
#include "language/check/problem.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using Names = std::vector<std::string>;

// Two families of one name: `declares` says what is a setting, and one part of a variant is the problem.
Catalogue gemm_that(bool declares) {
  const auto is = [&](bool problem) { return declares ? std::optional(problem) : std::nullopt; };
  CatalogueFamily family;
  family.name = "gemm";
  family.parameters = {{"m", "integer", {}, true, "", is(true)},
                       {"order", "text", {}, false, "", is(false)}};
  family.variants = {{"naive", {{"tile", "integer", {}, false, "", is(false)}}, true, ""},
                     {"sparse", {{"density", "float", {}, false, "", is(true)}}, true, ""}};
  return Catalogue{{family}};
}

std::optional<Names> problem_of(const std::string& rest, const Catalogue& catalogue) {
  return problem_names(expansion_of(rest).sweep(), catalogue);
}

constexpr const char* kAll =
    "axes: {variant: [naive, sparse], m: [1], order: [c], tile: [8], density: [0.5], threads: [1], "
    "device: [cpu], env.X: [y], label: [l], input.a: [ones]}\nderive: {work: 2 * m}\n";

TEST(Problem, IsWhatTheFamilyAndItsVariantsDeclare) {
  EXPECT_EQ(problem_of(kAll, gemm_that(true)), (Names{"m", "density", "label", "input.a"}));
}

TEST(Problem, OfAnOlderPackParametersOfTheFamilyAreAndThoseOfVariantsAreSettings) {
  EXPECT_EQ(problem_of(kAll, gemm_that(false)), (Names{"m", "order", "label", "input.a"}));
}

TEST(Problem, OfAFamilyThatNoCatalogueHasIsNotKnown) {
  const Expansion expansion = expansion_of(kAll);
  const Sweep& sweep = expansion.sweep();
  EXPECT_EQ(problem_names(sweep, {}), std::nullopt);
  const auto known = problem_columns(sweep, {});
  const auto at = [&](const char* name) {
    return known[static_cast<std::size_t>(std::ranges::find(sweep.columns, name, &Column::name) -
                                          sweep.columns.begin())];
  };
  EXPECT_EQ(at("m"), std::nullopt);
  EXPECT_EQ(at("threads"), false) << "this does not depend on the family";
  EXPECT_EQ(at("label"), true);
  EXPECT_EQ(at("work"), false);
}

TEST(Problem, WhatAFamilyOfAnyParametersDoesNotNameIsTheProblem) {
  Catalogue any = gemm_that(true);
  any.families[0].any_parameters = true;
  EXPECT_EQ(problem_of("axes: {variant: [naive], m: [1], i: [1, 2], count: [3]}", any),
            (Names{"m", "i", "count"}));
}

TEST(Problem, WhatTheSweepListsDecidesAlone) {
  const std::string all = kAll;
  EXPECT_EQ(problem_of(all + "problem: [order, work]", gemm_that(true)), (Names{"order", "work"}));
  EXPECT_EQ(problem_of(all + "problem: [order, work]", {}), (Names{"order", "work"})) << "without kernels";
  EXPECT_EQ(problem_of(all + "problem: []", gemm_that(true)), Names{});
  EXPECT_EQ(problem_of(all + "problem: [variant, threads]", gemm_that(true)),
            (Names{"variant", "threads"}));
  EXPECT_EQ(problem_of("axes: {shape: [{label: a, m: 1}, {label: b, m: 2}]}\ninclude: [{m: 3, k: 1}]\n"
                       "problem: [m, k]",
                       gemm_that(true)),
            (Names{"m", "k"}))
      << "a field of a record, and what only an included point has";
}

// The command itself is computed from the others, as a derived value.
TEST(Problem, OfACommandOrAFunctionIsOnlyWhatItsRowsAreCalledAndItsInputs) {
  const auto names = [](const std::string& rest) {
    const auto read = Expansion::parse("sweep: 1\nname: n\n" + rest, "s.yaml", {});
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return read ? problem_names(read->sweep(), {}) : std::nullopt;
  };
  EXPECT_EQ(names("command: gzip -c -{level} a\naxes: {level: [1, 6, 9]}"), Names{});
  EXPECT_EQ(names("command: '{tool} data.bin'\naxes: {tool: [gzip, zstd], env.X: [y]}"), Names{});
  EXPECT_EQ(names("command: '{tool} {file}'\naxes: {tool: [gzip], file: [a, b]}\nproblem: [file]"),
            Names{"file"});
  EXPECT_EQ(names("command: './b {n}'\naxes: {size: [{label: small, n: 1}], input.x: [ones]}"),
            (Names{"label", "input.x"}));
  EXPECT_EQ(names("python: bench:sort\naxes: {algorithm: [quick], n: [10, 100], label: [a]}"),
            Names{"label"});
}

// Only answers depend on it: what is measured, and the keys of jobs, stay.
TEST(Problem, ChangesNoJob) {
  const std::string axes = "axes: {m: [1, 2], tile: [8, 16]}\n";
  const auto without = expansion_of(axes), with = expansion_of(axes + "problem: [m]");
  EXPECT_EQ(points_of(with), points_of(without));
  Point point;
  for (std::uint64_t job = 0; job < without.raw_jobs(); ++job) {
    without.point_at(without.job_at(job).position, point);
    EXPECT_EQ(with.key_of(point, with.job_at(job)), without.key_of(point, without.job_at(job)));
  }
}

TEST(Problem, BadInputIsRefusedWithItsPlace) {
  const std::string axes =
      "axes: {shape: [{label: a, rows: 1}], tile_m: [8], tile_n: [8], level: [1]}\n"
      "zip: {tile: [tile_m, tile_n]}\n";
  for (const char* bad : {"problem: rows", "problem: {rows: 1}", "problem: null", "problem: [[rows]]",
                          "problem: [null]", "problem: [rwos]", "problem: [rows, level, rows]",
                          "problem: [shape]", "problem: [tile]", "problem: [cache]", "problem: [host]"})
    EXPECT_THAT(error_of(axes + bad), IsGolden()) << bad;
  const auto program = Expansion::parse(
      "sweep: 1\nname: n\ncommand: './b {n}'\naxes: {n: [1]}\nproblem: [command]", "s.yaml", {});
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message, IsGolden());
}

TEST(Problem, IsShownByCheck) {
  CheckReport report = check_report(expansion_of("axes: {m: [1, 2], tile: [8, 16]}"));
  EXPECT_THAT(to_text(report), testing::Not(testing::ContainsRegex("\nproblem")));
  report.problem = Names{"m", "k"};
  EXPECT_THAT(to_text(report), IsGolden());
  report.problem = Names{};
  EXPECT_THAT(to_text(report), IsGolden());
}

}  // namespace
}  // namespace kernsweep::sweep_test
