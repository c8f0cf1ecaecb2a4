// Files that are no sweeps: every error says where and what.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

std::string whole_error(const std::string& text) {
  const auto e = Expansion::parse(text, "s.yaml", {});
  return e ? std::string() : e.error().message;
}

TEST(BadInput, AMissingFileIsNamed) {
  const Folder folder;
  const auto e = Expansion::read(folder.path("none.yaml"), {});
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().message,
            folder.path("none.yaml") + ": there is no such file; give the path of a sweep file");
}

TEST(BadInput, ADirectoryIsNoSweep) {
  const Folder folder;
  const auto e = Expansion::read(folder.path(""), {});
  ASSERT_FALSE(e);
  EXPECT_THAT(e.error().message, IsGolden());
}

TEST(BadInput, ADeviceIsNoSweep) {
  const auto e = Expansion::read("/dev/zero", {});
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().message, "/dev/zero: not a regular file; give the path of a sweep file");
}

TEST(BadInput, AnEmptyFileIsToldWhatASweepNeeds) {
  const std::string told =
      "s.yaml:1:1: the file is empty; the smallest sweep has four lines: sweep, name, kernel, axes; see "
      "docs/reference/sweep-language.md";
  EXPECT_EQ(whole_error(""), told);
  EXPECT_EQ(whole_error("\n# only a comment\n"), told);
}

TEST(BadInput, BytesThatAreNoTextAreShownWithTheirPlace) {
  EXPECT_EQ(whole_error("sweep: 1\nname: \xC3\x28\n"),
            "s.yaml:2:7: byte 0xc3 is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(whole_error("sweep: 1\nname: \xED\xA0\x80\n"),
            "s.yaml:2:7: byte 0xed is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(whole_error(std::string("sweep: 1\n\0", 10)),
            "s.yaml:2:1: control character 0x00; is this a text file?");
  EXPECT_EQ(whole_error("\xFF\xFEs\0w\0"), "s.yaml:1:1: byte 0xff is not UTF-8; save the file as UTF-8");
}

TEST(BadInput, ColumnsCountCharactersNotBytes) {
  // Each of the three letters takes two bytes.
  EXPECT_EQ(whole_error("sweep: 1\nname: n\nkernel: g\naxes: {\"\xC3\xA4\xC3\xB6\xC3\xBC\": [1]}"),
            "s.yaml:4:8: '\xC3\xA4\xC3\xB6\xC3\xBC' is not a valid name for an axis or column; use "
            "letters, digits "
            "and _, in parts "
            "joined by dots, such as threads or env.OMP_NUM_THREADS");
  EXPECT_EQ(error_of("axes: {a: [\"\xC3\xA4\", [1]]}"),
            "s.yaml:4:17: axis 'a' lists scalars, so a list does not fit");
}

TEST(BadInput, TabsAreRefused) {
  EXPECT_EQ(whole_error("sweep: 1\naxes:\n\ta: 1\n"),
            "s.yaml:3:1: a tab; indent and separate with spaces (in a text, write \"\\t\")");
}

TEST(BadInput, UnknownKeysSuggestTheNearest) {
  EXPECT_EQ(error_of("axis: {a: [1]}"), "s.yaml:4:1: a sweep has no key 'axis'; did you mean 'axes'?");
  EXPECT_EQ(error_of("axes: {a: [1]}\nmeasure:\n  sampels: {}"),
            "s.yaml:6:3: measure has no key 'sampels'; did you mean 'samples'?");
  EXPECT_EQ(error_of("axes: {a: {range: [1, 2], stp: 1}}"),
            "s.yaml:4:27: axis 'a' has no key 'stp'; did you mean 'step'?");
  EXPECT_EQ(error_of("axes: {s: {m: 1, n: 2}}"),
            "s.yaml:4:12: axis 's' has no key 'm'; a record is written as a list: [{m: ...}]");
}

TEST(BadInput, KeysThatBeginWithXAreIgnored) {
  EXPECT_EQ(error_of("x-home: &v [1, 2]\naxes: {x-note: 5, a: *v}\nmeasure: {x-why: because}"), "");
}

TEST(BadInput, DuplicateKeysNameBothLines) {
  EXPECT_EQ(error_of("axes:\n  a: [1]\n  a: [2]"),
            "s.yaml:6:3: key 'a' appears twice (first in line 5); remove one");
}

TEST(BadInput, MissingKeysComeWithAnExample) {
  EXPECT_EQ(whole_error("name: n"), "s.yaml:1:1: the key 'sweep' is missing; add for example `sweep: 1`");
  EXPECT_EQ(whole_error("sweep: 1\nkernel: g\naxes: {a: [1]}"),
            "s.yaml:1:1: the key 'name' is missing; add for example `name: gemm-first-look`");
  EXPECT_EQ(whole_error("sweep: 1\nname: n\naxes: {a: [1]}"),
            "s.yaml:1:1: the key 'kernel' is missing; add for example `kernel: gemm`");
  EXPECT_EQ(error_of(""),
            "s.yaml:1:1: the key 'axes' is missing; add for example `axes: {threads: [1, 2, 4]}`");
  EXPECT_THAT(whole_error("sweep: 2\nname: n"), IsGolden());
}

TEST(BadInput, OneSweepHasOneKernel) {
  EXPECT_EQ(error_of("command: x\naxes: {a: [1]}"),
            "s.yaml:4:10: a sweep has one of kernel, command, commands, python and source, not two");
}

TEST(BadInput, ASweepIsAMapping) {
  EXPECT_EQ(whole_error("- 1"),
            "s.yaml:1:1: a sweep is a mapping with the keys sweep, name, kernel and axes, not a list");
  EXPECT_EQ(whole_error("hello"),
            "s.yaml:1:1: a sweep is a mapping with the keys sweep, name, kernel and axes, not 'hello'");
}

TEST(BadInput, NamesAreChecked) {
  EXPECT_THAT(whole_error("sweep: 1\nname: a b\nkernel: g\naxes: {a: [1]}"), IsGolden());
  EXPECT_THAT(error_of("axes: {1a: [1]}"), IsGolden());
  EXPECT_THAT(error_of("axes: {a..b: [1]}"), IsGolden());
  EXPECT_EQ(error_of("axes: {host.cores: [1]}"),
            "s.yaml:4:8: 'host.cores' is a property of the host and cannot be an axis or column; use it in "
            "`requires`");
  EXPECT_EQ(error_of("axes: {and: [1]}"),
            "s.yaml:4:8: 'and' is a word of the expression language; choose another name");
}

TEST(BadInput, AxesOfTheWrongShapeSayWhatFits) {
  EXPECT_EQ(error_of("axes: [a]"), "s.yaml:4:7: axes takes a mapping from names to values, not a list");
  EXPECT_EQ(error_of("axes: {}"), "s.yaml:4:7: axes is empty; a sweep varies something");
  EXPECT_EQ(error_of("axes: {a: []}"), "s.yaml:4:11: axis 'a' has no values; give one or remove the axis");
  EXPECT_EQ(error_of("axes: {a: {when: 'true'}}"),
            "s.yaml:4:11: axis 'a' needs one of values, range, pow2 and table, and has none");
  EXPECT_EQ(error_of("axes: {a: {values: [1], pow2: [0, 1]}}"),
            "s.yaml:4:11: axis 'a' needs one of values, range, pow2 and table, and has values and pow2");
  EXPECT_EQ(error_of("axes: {a: {values: [1], step: 1}}"),
            "s.yaml:4:31: `step` belongs to `range`, and axis 'a' has none");
  EXPECT_EQ(error_of("axes: {s: [{m: 1, n: 2}, {m: 3}]}"),
            "s.yaml:4:26: axis 's': this record lacks 'n'; write null if it is not set");
  EXPECT_EQ(error_of("axes: {s: [{m: 1}, {m: 3, n: 2}]}"),
            "s.yaml:4:27: axis 's': 'n' is not a column of the first record");
  EXPECT_EQ(error_of("axes: {s: [{m: 1}, 5]}"), "s.yaml:4:20: axis 's' lists records, so '5' does not fit");
  EXPECT_EQ(error_of("axes: {m: [1], s: [{m: 1}]}"),
            "s.yaml:4:16: there are two columns called 'm'; rename one");
}

TEST(BadInput, RangesOfTheWrongShapeSayWhatFits) {
  EXPECT_EQ(error_of("axes: {a: {range: [1]}}"),
            "s.yaml:4:19: range takes a list [from, to], not 1 values");
  EXPECT_EQ(error_of("axes: {a: {range: [1, x]}}"), "s.yaml:4:23: range takes numbers, not 'x'");
  EXPECT_EQ(error_of("axes: {a: {range: [2, 1]}}"),
            "s.yaml:4:19: the range goes from 2 down to 1; an axis rises");
  EXPECT_EQ(error_of("axes: {a: {range: [1, 2], step: 0}}"), "s.yaml:4:33: step must be above 0, not 0");
  EXPECT_EQ(error_of("axes: {a: {range: [1, 2], mul: 1}}"), "s.yaml:4:32: mul must be above 1, not 1");
  EXPECT_EQ(error_of("axes: {a: {range: [0, 2], mul: 2}}"),
            "s.yaml:4:19: a range with `mul` starts above 0");
  EXPECT_EQ(error_of("axes: {a: {range: [1, 2], mul: 2, step: 1}}"),
            "s.yaml:4:32: a range has `step` or `mul`, not both");
  EXPECT_EQ(error_of("axes: {a: {pow2: [0, 63]}}"),
            "s.yaml:4:22: pow2 takes whole exponents from 0 to 62, not 63");
  EXPECT_EQ(error_of("axes: {a: {pow2: [0, 4, 0]}}"), "s.yaml:4:25: the step of pow2 must be above 0");
  EXPECT_THAT(error_of("axes: {a: {range: [0, 1], step: 1e-9}}"), IsGolden());
}

TEST(BadInput, ExpressionsThatDoNotParseShowTheirColumn) {
  EXPECT_THAT(error_of("axes: {a: [1]}\nconstraints: [a +]"), IsGolden());
  EXPECT_THAT(error_of("axes: {a: [1]}\nderive: {x: [1]}"), IsGolden());
  EXPECT_EQ(error_of("axes: {a: [1]}\nconstraints: [{why: x}]"), "s.yaml:5:15: a constraint needs `expr`");
}

TEST(BadInput, ASpaceTooLargeIsRefusedWithItsCount) {
  // 10^10 * 10^10 = 10^20 points.
  EXPECT_EQ(
      error_of("axes: {a: {range: [1, 10000000000]}, b: {range: [1, 10000000000]}}"),
      "s.yaml: the sweep has 100000000000000000000 points before `exclude` and `constraints`; the limit "
      "is 4611686018427387904. Remove values from an axis");
  // 2^62 points fit, three times as many jobs do not.
  EXPECT_EQ(
      error_of("axes: {a: {range: [1, 4611686018427387904]}}"),
      "s.yaml: the sweep has 13835058055282163712 jobs before `exclude` and `constraints`; the limit is "
      "4611686018427387904. Remove values from an axis, or lower measure.processes");
  EXPECT_EQ(error_of("axes: {a: {range: [1, 4611686018427387904]}}\nmeasure: {processes: 1}"), "");
  std::string many = "axes:\n";
  for (char c = 'a'; c <= 'e'; ++c) many += std::string("  ") + c + ": {range: [1, 1000000000000]}\n";
  EXPECT_THAT(error_of(many), IsGolden());
}

TEST(BadInput, DependsIsAListOfPaths) {
  const std::string axes = "axes: {m: [1]}\n";
  const auto good = parsed(axes + "depends: [data/a.bin, '-', 7]");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_THAT(good->sweep().depends, testing::ElementsAre("data/a.bin", "-", "7"));
  EXPECT_THAT(error_of(axes + "depends: a.bin"), IsGolden());
  EXPECT_THAT(error_of(axes + "depends: {a: b}"), IsGolden());
  for (const char* entry : {"''", "null", "[a]", "{a: b}"}) {
    EXPECT_THAT(error_of(axes + "depends: [x, " + entry + "]"), IsGolden()) << entry;
  }
  EXPECT_THAT(error_of(axes + R"(depends: ["a\nb"])"), IsGolden());
  EXPECT_THAT(error_of(axes + R"(depends: ["a\0b"])"), IsGolden());
  std::string many = "depends: [f";
  for (std::size_t i = 1; i < kDependsMax; ++i) many += ", f" + std::to_string(i);
  EXPECT_EQ(error_of(axes + many + "]"), "");
  EXPECT_THAT(error_of(axes + many + ", one more]"), IsGolden());
}

}  // namespace
}  // namespace kernsweep::sweep_test
