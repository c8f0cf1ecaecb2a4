// The example of the C interface that docs/guides/own-pack.md names: it builds, and agrees with its
// reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden_text/places.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

const ks_family& axpy() {
  static const ks_family& family = family_of(open_pack(build_folder() + "/tests/packs/example.so"), "axpy");
  return family;
}

TEST(ExamplePack, ComputesWhatItSays) {
  // alpha 3: 3 * 1 + 10, 3 * 2 + 11
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t i) {
    return static_cast<double>(i + (input == "x" ? 1 : 10));
  };
  const Settings set = settings({{"n", 2}, {"alpha", 3.0}});
  EXPECT_THAT(measure(axpy(), "reference", set, options).values, ::testing::ElementsAre(13, 17));
  EXPECT_THAT(measure(axpy(), "loop", set, options).values, ::testing::ElementsAre(13, 17));
}

TEST(ExamplePack, AgreesWithItsReference) {
  for (const int n : {0, 1, 1000})
    EXPECT_EQ(mismatch_with_reference(axpy(), "loop", settings({{"n", n}})), "");
}

TEST(ExamplePack, RefusesANegativeLength) {
  std::string why;
  EXPECT_EQ(can_run(axpy(), "loop", settings({{"n", -1}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(why, "n is -1; it must not be negative");
}

}  // namespace
}  // namespace kernsweep::testing
