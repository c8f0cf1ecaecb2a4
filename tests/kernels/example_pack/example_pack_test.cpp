// The example of docs/guides/own-pack.md is a real pack: it builds, agrees with its reference, and is what
// the page shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

const ks_family& axpy() {
  static const ks_family& family =
      family_of(open_pack(KERNSWEEP_BINARY_DIR "/tests/packs/example.so"), "axpy");
  return family;
}

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(KERNSWEEP_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
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

TEST(ExamplePack, IsWhatThePageShows) {
  const std::string example = text_of("tests/kernels/example_pack/example_pack.cpp");
  ASSERT_FALSE(example.empty());
  EXPECT_NE(text_of("docs/guides/own-pack.md").find("```cpp\n" + example + "```\n"), std::string::npos)
      << "docs/guides/own-pack.md must quote tests/kernels/example_pack/example_pack.cpp word for word";
}

}  // namespace
}  // namespace kernsweep::testing
