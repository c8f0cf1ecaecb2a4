// Packs that are written with kernels/api/pack.hpp: one that a guide shows, and one that uses all of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

const ks_family& family_in(const char* pack, const char* family) {
  return family_of(open_pack(build_folder() + "/tests/packs/" + pack + ".so"), family);
}
const ks_family& axpy() {
  return family_in("axpy", "axpy");
}
const ks_family& every() {
  return family_in("everything", "every");
}

HostOptions counting() {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t i) {
    return static_cast<double>(i + (input == "x" ? 1 : 10));
  };
  return options;
}

TEST(CppPack, ComputesWhatItSays) {
  // alpha 3: 3 * 1 + 10, 3 * 2 + 11
  const Settings set = settings({{"n", 2}, {"alpha", 3.0}});
  EXPECT_THAT(measure(axpy(), "reference", set, counting()).values, ElementsAre(13, 17));
  EXPECT_THAT(measure(axpy(), "loop", set, counting()).values, ElementsAre(13, 17));
  for (const int n : {0, 1, 1000})
    EXPECT_EQ(mismatch_with_reference(axpy(), "loop", settings({{"n", n}})), "");
}

TEST(CppPack, IsWhatThePageShows) {
  const auto text_of = [](const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const std::string example = text_of(build_folder() + "/tests/kernels/cpp_pack/axpy.cpp");
  ASSERT_FALSE(example.empty());
  EXPECT_NE(text_of(source_folder() + "/docs/guides/own-pack.md").find("```cpp\n" + example + "```\n"),
            std::string::npos)
      << "docs/guides/own-pack.md must quote what `kernsweep new-pack axpy` writes word for word";
}

TEST(CppPack, DescribesItsParametersOnce) {
  const ks_family& family = every();
  ASSERT_EQ(family.param_count, 7U);
  EXPECT_EQ(family.params[0].kind, KS_INTEGER);
  EXPECT_STREQ(family.params[0].fallback, "4");
  EXPECT_EQ(family.params[1].kind, KS_TEXT);
  EXPECT_STREQ(family.params[1].choices, "add|scale");
  EXPECT_EQ(family.params[5].kind, KS_BOOLEAN);
  EXPECT_EQ(family.params[6].kind, KS_TEXT) << "a bool with the choices up|down";
  EXPECT_STREQ(family.settings, "fast");
  EXPECT_STREQ(family.constants, "x");
  const ks_variant& variant = variant_of(family, "kernel");
  ASSERT_EQ(variant.param_count, 2U);
  EXPECT_STREQ(variant.params[0].name, "block");
  EXPECT_STREQ(variant.problem_params, "exact");
  EXPECT_EQ(tolerance_of(family, {}).scale_dims, 1);
  EXPECT_EQ(tolerance_of(family, {}).relative, 0.5);
  EXPECT_EQ(tolerance_of(family, settings({{"block", 4}})).relative, 0.25) << "a parameter of the variant";
  EXPECT_EQ(work_of(family, settings({{"op", "scale"}})).flops, 2);
}

TEST(CppPack, ReadsParametersOfEachKind) {
  const Measured added = measure(every(), "kernel", settings({{"n", 2}, {"block", 16}}), counting());
  EXPECT_EQ(added.status, KS_OK) << added.why;
  EXPECT_THAT(added.values, ElementsAre(2, 3));
  EXPECT_THAT(added.shape, ElementsAre(2, 1)) << "output() of the kernel, not that of setup.output()";
  EXPECT_EQ(added.runtime, "block=16 threads=1");
  const Settings down = settings({{"n", 2}, {"order", "down"}});
  EXPECT_THAT(measure(every(), "kernel", down, counting()).values, ElementsAre(3, 2));
  EXPECT_EQ(added.metrics.at("blocks"), 16);
  const Settings scale = settings({{"n", 2}, {"op", "scale"}, {"fast", true}});
  EXPECT_THAT(measure(every(), "kernel", scale, counting()).values, ElementsAre(2, 4));
}

TEST(CppPack, SaysWhatIsWrongWithAParameter) {
  for (const Settings& set :
       {settings({{"n", -1}}), settings({{"n", 1000001}}), settings({{"n", "two"}}),
        settings({{"op", "divide"}}), settings({{"dtype", "f16"}}), settings({{"fast", 1}}),
        settings({{"order", "sideways"}}), settings({{"block", 0}}), settings({{"block", 65}})}) {
    std::string why;
    EXPECT_NE(can_run(every(), "kernel", set, why), KS_OK);
    EXPECT_THAT(why, IsGolden());
  }
  std::string why;
  EXPECT_EQ(can_run(axpy(), "loop", {}, why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden()) << "a required one";
}

TEST(CppPack, ChecksWhatParametersAreTogether) {
  const Settings set = settings({{"n", 1001}, {"fast", true}});
  std::string why;
  std::vector<ks_input> inputs;
  EXPECT_EQ(inputs_of(every(), set, inputs, why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(every(), "kernel", set, why), KS_BAD_PARAMETER);
  EXPECT_EQ(can_run(every(), "kernel", with(set, {{"n", 1000}}), why), KS_OK) << why;
}

TEST(CppPack, MayHaveAQueue) {
  const ks_family& family = family_in("everything", "nothing");
  const ks_variant& queued = variant_of(family, "queued");
  EXPECT_EQ(queued.runs_max, 3U);
  EXPECT_EQ(queued.elapsed_resolution, 0.5);
  ASSERT_NE(queued.run_many, nullptr);
  EXPECT_EQ(variant_of(every(), "kernel").run_many, nullptr);
  const Measured measured = measure(family, "queued", {}, {.queued = 3});
  EXPECT_EQ(measured.status, KS_OK) << measured.why;
  EXPECT_THAT(measured.shape, ElementsAre(5));
  EXPECT_EQ(measured.dtype, KS_BF16);
  EXPECT_EQ(measure(family, "queued", {}, {.queued = 4}).why, "too many runs");
}

// The status and the reason of what is thrown, wherever it is thrown.
TEST(CppPack, NothingIsThrownAcrossTheBorder) {
  const auto failed = [](const std::string& place, const std::string& what) {
    return measure(every(), "kernel", settings({{"fails", place}, {"throws", what}}));
  };
  for (const char* place : {"inputs", "can_run", "prepare", "run", "output"}) {
    const Measured refused = failed(place, "unsupported");
    EXPECT_EQ(refused.failed_in, place);
    EXPECT_EQ(refused.status, KS_UNSUPPORTED);
    EXPECT_EQ(refused.why, std::string(place) + " is not supported");
    EXPECT_EQ(failed(place, "memory").status, KS_OUT_OF_MEMORY) << place;
    EXPECT_EQ(failed(place, "number").status, KS_FAILED) << place;
    EXPECT_EQ(failed(place, "").why, std::string(place) + " has failed");
  }
}

TEST(CppPack, AnOperandOfAnotherTypeIsNotRead) {
  const Measured measured = measure(every(), "kernel", settings({{"dtype", "s8"}}));
  EXPECT_EQ(measured.failed_in, "prepare");
  EXPECT_EQ(measured.why, "the variant reads an operand as another type");
}

// With such an extent the strides would not fit into a number either.
TEST(CppPack, AnArrayLargerThanAnyMemoryIsRefused) {
  EXPECT_EQ(measure(every(), "kernel", settings({{"n", 4}, {"fails", "prepare"}, {"throws", "size"}})).why,
            "an array has a negative extent, or more elements than can be");
}

TEST(CppPack, NoMemoryIsSaidAsWhatItIs) {
  HostOptions options;
  options.bytes_max = 8;
  EXPECT_EQ(measure(every(), "kernel", settings({{"n", 1000}}), options).status, KS_OUT_OF_MEMORY);
}

TEST(CppPack, MayHaveNoOperandsAndNoOutput) {
  const ks_family& nothing = family_in("everything", "nothing");
  EXPECT_EQ(nothing.reference, nullptr);
  EXPECT_EQ(nothing.any_params, 1);
  const Measured measured = measure(nothing, "idle", settings({{"whatever", 3}}));
  EXPECT_EQ(measured.status, KS_OK) << measured.why;
  EXPECT_TRUE(measured.values.empty());
  char text[64] = "";
  EXPECT_EQ(variant_of(nothing, "idle").available({text, sizeof text}), KS_UNSUPPORTED);
  EXPECT_STREQ(text, "not on this host");
}

TEST(CppPack, RefusesAnotherVersion) {
  const std::string path = build_folder() + "/tests/packs/everything.so";
  EXPECT_EQ(open_pack_as(path, KS_API_MAJOR + 1, 0), nullptr);
  EXPECT_EQ(open_pack_as(path, KS_API_MAJOR, KS_API_MINOR), &open_pack(path)) << "made once";
}

}  // namespace
}  // namespace kernsweep::testing
