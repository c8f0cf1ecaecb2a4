// Every variant of every family of the pack against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/memory_bound/shapes.hpp"

namespace kernsweep::testing {
namespace {

struct Way {
  const char* variant;
  Settings set;

  // Otherwise the bytes of our pointers are part of the test's name, other ones in each process.
  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.variant; }
};

bool can(const Point& point, const char* variant) {
  std::string why;
  const ks_status status = can_run(family_named(point.family), variant, point.set, why);
  EXPECT_EQ(why.empty(), status == KS_OK) << "a refusal needs a reason";
  return status == KS_OK;
}

// Whether the family has the variant, with all of its settings.
bool has(const Point& point, const Way& way) {
  const ks_family& family = family_named(point.family);
  const auto names = names_of_variants(family);
  if (std::ranges::count(names, way.variant) == 0) return false;
  const ks_variant& variant = variant_of(family, way.variant);
  return std::ranges::all_of(way.set, [&](const auto& setting) {
    return std::any_of(variant.params, variant.params + variant.param_count,
                       [&](const ks_param_doc& doc) { return setting.first == doc.name; });
  });
}

class EveryPoint : public ::testing::TestWithParam<Way> {};

TEST_P(EveryPoint, AgreesWithTheReferenceOnOneThreadAndOnTwo) {
  int answered = 0;
  for (Point point : memory_bound_points()) {
    if (!has(point, GetParam())) continue;
    for (const auto& [name, value] : GetParam().set) point.set[name] = value;
    for (const int threads : {1, 2}) {
      if (!can(point, GetParam().variant)) continue;
      ++answered;
      EXPECT_EQ(mismatch_with_reference(family_named(point.family), GetParam().variant, point.set,
                                        {.threads = threads}),
                "")
          << text_of(point) << " threads " << threads;
    }
  }
  if (answered == 0) GTEST_SKIP() << "not on this processor";
}

std::string name_of_way(const ::testing::TestParamInfo<Way>& info) {
  std::string name = info.param.variant;
  for (const auto& [key, value] : info.param.set) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr) name += "_" + *text;
  }
  return name;
}

std::vector<Way> every_way() {
  std::vector<Way> out = {{"own", {}}, {"onednn", {}}};
  for (const char* isa : {"avx512f", "avx2", "baseline"}) out.push_back({"own", settings({{"isa", isa}})});
  for (const char* isa : {"avx512f", "avx2", "baseline"})
    for (const char* stores : {"always", "never"})
      out.push_back({"own", settings({{"isa", isa}, {"non_temporal", stores}})});
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, EveryPoint, ::testing::ValuesIn(every_way()), name_of_way);

// Points that no variant may refuse: otherwise the tests above could pass without a comparison.
TEST(MemoryBoundVariants, OursRefusesNoPoint) {
  for (const Point& point : memory_bound_points()) EXPECT_TRUE(can(point, "own")) << text_of(point);
}

TEST(MemoryBoundVariants, BitsOfOursDependOnNeitherThreadsNorStoresNorCalls) {
  for (const Point& point : memory_bound_points()) {
    const ks_family& family = family_named(point.family);
    const Measured once = measure(family, "own", point.set, {.runs = 1});
    ASSERT_EQ(once.status, KS_OK) << text_of(point) << ": " << once.why;
    EXPECT_TRUE(same_bits(once, measure(family, "own", point.set, {.threads = 2, .runs = 3})))
        << text_of(point);
#if defined(__x86_64__)
    const Settings past = with(point.set, {{"non_temporal", "always"}});
    if (!has(point, {"own", settings({{"non_temporal", "always"}})})) continue;
    EXPECT_TRUE(same_bits(once, measure(family, "own", past, {.threads = 3, .runs = 2}))) << text_of(point);
#endif
  }
}

// The output in slices along `dims` of the last dimensions, as ks_tolerance has them.
TEST(MemoryBoundVariants, ZerosInPlaceOfTheSmallestRowAreWrong) {
  for (const Point& point : memory_bound_points()) {
    const ks_family& family = family_named(point.family);
    const ks_tolerance tolerance = tolerance_of(family, point.set);
    const Measured right = measure(family, "naive", point.set);
    if (right.values.empty()) continue;
    const auto length = right.shape.empty() ? 1 : static_cast<std::size_t>(right.shape.back());
    std::size_t smallest = 0;
    double least = INFINITY;
    for (std::size_t row = 0; row + length <= right.values.size(); row += length) {
      double largest = 0;
      for (std::size_t i = row; i < row + length; ++i)
        largest = std::max(largest, std::abs(right.values[i]));
      if (largest > 0 && largest < least) {
        least = largest;
        smallest = row;
      }
    }
    if (least == INFINITY) continue;  // only zeros are right
    Measured wrong = right;
    std::fill_n(wrong.values.begin() + static_cast<std::ptrdiff_t>(smallest), length, 0);
    EXPECT_EQ(difference(right, right, tolerance), "") << text_of(point);
    EXPECT_NE(difference(wrong, right, tolerance), "") << text_of(point);
  }
}

TEST(MemoryBoundVariants, EachSaysSoWhenTheHostHasNoMemory) {
  const Settings matrix = settings({{"rows", 5000}, {"cols", 7}});
  for (const Point& point :
       {Point{"softmax", matrix}, Point{"layernorm", matrix}, Point{"reduction", matrix},
        Point{"transpose", matrix}, Point{"elementwise", settings({{"n", 5000}})},
        Point{"gather", with(matrix, {{"lookups", 5000}})}})
    for (const std::string& variant : names_of_variants(family_named(point.family))) {
      const Measured measured =
          measure(family_named(point.family), variant, point.set, {.bytes_max = 4096});
      EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant;
      EXPECT_EQ(measured.failed_in, "prepare") << variant;
    }
}

TEST(MemoryBoundVariants, EachTellsWhatItReallyRanOn) {
  const Point point = {"softmax", settings({{"rows", 3}, {"cols", 5}})};
  const ks_family& family = family_named(point.family);
  EXPECT_THAT(measure(family, "onednn", point.set).runtime, ::testing::StartsWith("oneDNN "));
  const auto told = told_in(measure(family, "own", with(point.set, {{"isa", "baseline"}})).runtime);
  EXPECT_EQ(told.at("isa"), "baseline");
  EXPECT_EQ(told.at("stores"), "plain");
}

#if !defined(__x86_64__)
TEST(MemoryBoundVariants, StoresThatTheArchitectureLacksAreUnsupported) {
  Point point = {"softmax", settings({{"rows", 3}, {"cols", 5}, {"non_temporal", "always"}})};
  EXPECT_FALSE(can(point, "own"));
}
#endif

}  // namespace
}  // namespace kernsweep::testing
