// What `check` and the start of `run` say of a sweep whose points have one process each.
#include "language/check/single_process.hpp"

#include <gmock/gmock.h>

#include "language/check/explain.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

constexpr const char* kTwo = "axes: {variant: [a, b]}\n";
constexpr const char* kOneProcess = "measure: {processes: 1}\n";

std::string note(const std::string& text, const Replacements& replacements = {}) {
  return note_of_single_process(expansion_of(text, replacements), 2);
}

// Nothing is decided with a single process on a side (docs/internals/evidence.md).
TEST(SingleProcess, IsToldWithWhatToSet) {
  EXPECT_THAT(note(std::string(kTwo) + kOneProcess), IsGolden());
  Replacements quick;
  quick.quick = true;
  EXPECT_THAT(note(kTwo, quick), IsGolden());
}

TEST(SingleProcess, IsANoteOfTheReport) {
  const auto notes = check_report(expansion_of(std::string(kTwo) + kOneProcess)).notes;
  EXPECT_EQ(notes, std::vector{note(std::string(kTwo) + kOneProcess)});
}

TEST(SingleProcess, IsNotToldWhereThereAreMoreOrNothingToCompare) {
  EXPECT_EQ(note(kTwo), "");  // three, which is the default
  EXPECT_EQ(note(std::string(kTwo) + "measure: {processes: 2}\n"), "");
  const auto expansion = expansion_of(std::string(kTwo) + kOneProcess);
  EXPECT_EQ(note_of_single_process(expansion, 1), "");
  // One point has something to decide where a claim is about its time.
  const auto claims =
      expansion_of(std::string(kTwo) + kOneProcess + "claims: [{name: r, at_least: {gflops: 1}}]\n");
  EXPECT_NE(note_of_single_process(claims, 1), "");
}

// A command: all columns that `problem` does not list are settings. For a kernel of a pack the role of `m`
// is not known yet.
TEST(SingleProcess, OfPointsThatAreProblemsOfTheirOwnSaysThatBoundsAreMissing) {
  const std::string axes = "axes: {file: [x, y], level: 1}\n" + std::string(kOneProcess);
  const auto command = [&](const std::string& problem) {
    const auto expansion =
        Expansion::parse("sweep: 1\nname: n\ncommand: wc {file} {level}\n" + axes + problem, "s.yaml", {});
    return expansion ? note_of_single_process(*expansion, 2) : expansion.error().message;
  };
  const std::string full = note(std::string(kTwo) + kOneProcess);
  EXPECT_EQ(command(""), full);
  EXPECT_EQ(command("problem: [level]\n"), full);
  EXPECT_EQ(note("axes: {m: [1, 2]}\n" + std::string(kOneProcess)), full);
  EXPECT_THAT(command("problem: [file]\n"), IsGolden());
}

// Bits, errors and outcomes are judged job by job.
TEST(SingleProcess, IsNotToldWhereAllClaimsDoWithoutStatistics) {
  const std::string one = std::string(kTwo) + kOneProcess;
  const std::string bits = "{name: b, equal_bits: variant}", error = "{name: e, error_below: 1e-5}",
                    end = "{name: o, ends_as: ok}",
                    faster = "{name: f, faster: {variant: a}, than: {variant: b}}",
                    rate = "{name: r, at_least: {gflops: 1}}";
  EXPECT_EQ(note(one + "claims: [" + bits + ", " + error + ", " + end + "]\n"), "");
  EXPECT_NE(note(one + "claims: [" + bits + ", " + faster + "]\n"), "");
  EXPECT_NE(note(one + "claims: [" + rate + "]\n"), "");
}

}  // namespace
}  // namespace kernsweep::sweep_test
