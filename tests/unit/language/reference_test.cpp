// `verify.reference`: what it is at a point. What is refused: tests/process/kernels/reference_test.py.
#include <gmock/gmock.h>

#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Expansion sweep_with(const std::string& kernel, const std::string& rest,
                     const std::string& file = "sweeps/s.yaml") {
  auto e = Expansion::parse("sweep: 1\nname: n\n" + kernel + "\n" + rest, file, {});
  EXPECT_TRUE(e) << (e ? "" : e.error().message);
  return std::move(*e);
}

ReferenceAt at(const Expansion& e, std::uint64_t position) {
  Point point;
  e.point_at(position, point);
  return e.reference_at(point, e.rules(e.rules_of(point)).measure.verify.reference);
}

std::string key_at_0(const Expansion& e) {
  Point point;
  e.point_at(0, point);
  return e.key_of(point, {0, Cache::hot, 0}).hex();
}

TEST(Reference, PlacesOfACommandAndAFileTakeTheValuesOfThePoint) {
  const std::string axes = "axes: {n: [4, 5]}\nderive: {twice: 2 * n}\nverify: ";
  EXPECT_EQ(at(sweep_with("kernel: f", axes + "{reference: {command: [./r, '{n}', '{twice}']}}"), 1).text,
            "./r 5 10");
  // A file counts from the folder of the sweep file, unless its path is whole.
  const std::string file = axes + "{reference: {file: 'right {n}.npy'}}";
  EXPECT_EQ(at(sweep_with("kernel: f", file), 0).text, "sweeps/right 4.npy");
  EXPECT_EQ(at(sweep_with("kernel: f", file, "s.yaml"), 0).text, "right 4.npy");
  EXPECT_EQ(at(sweep_with("kernel: f", axes + "{reference: {file: '/r/{n}'}}"), 0).text, "/r/4");
}

TEST(Reference, ASettingReplacesValuesInTheKindOfTheirColumn) {
  const auto e = sweep_with("kernel: f", "axes: {block: [1, 2], s: [x]}\nverify: {reference: {block: 2}}");
  EXPECT_THAT(at(e, 0).replaced, ElementsAre(Pair(0U, Value(2))));
  EXPECT_THAT(at(e, 1).replaced, IsEmpty()) << "the point is the reference";
}

TEST(Reference, AnAxisWhoseConditionNoLongerHoldsIsAbsentThere) {
  const auto e =
      sweep_with("kernel: f",
                 "axes: {variant: [fast, plain], block: {values: [8], when: 'variant == \"fast\"'}}\n"
                 "verify: {reference: {setting: {variant: plain}}}");
  EXPECT_THAT(at(e, 0).replaced, ElementsAre(Pair(0U, Value("plain")), Pair(1U, Value())));
}

TEST(Reference, OfACommandTheSettingGivesAnotherCommandLine) {
  const auto e = sweep_with("command: ./solve {how} {n}",
                            "axes: {how: [fast, slow], n: 3}\nverify: {reference: {how: slow}}");
  EXPECT_THAT(at(e, 0).replaced, ElementsAre(Pair(0U, Value("slow")), Pair(2U, Value("./solve slow 3"))));
}

TEST(Reference, AnOverrideHasItsOwn) {
  const auto e = sweep_with("kernel: f",
                            "axes: {n: [1, 2]}\nverify: {reference: {file: a.npy}}\n"
                            "overrides: [{when: n == 2, set: {verify.reference: {command: 'echo {n}'}}}]");
  EXPECT_EQ(at(e, 0).text, "sweeps/a.npy");
  EXPECT_EQ(at(e, 1).text, "echo 2");
}

TEST(Reference, IsPartOfTheKeyUnlessItIsTheKernelsOwn) {
  const std::string axes = "axes: {n: [1, 2]}\n";
  std::set<std::string> keys;
  for (const char* reference :
       {"", "verify: {reference: a}", "verify: {reference: {command: a}}", "verify: {reference: {file: a}}",
        "verify: {reference: {n: 1}}", "verify: {reference: {n: 2}}",
        "verify: {tolerance: {relative: 0.1}}", "verify: {tolerance: {absolute: 0.1}}"})
    EXPECT_TRUE(keys.insert(key_at_0(sweep_with("kernel: f", axes + reference))).second) << reference;
}

}  // namespace
}  // namespace kernsweep::sweep_test
