// How a sweep file may have an operand filled: input.<name>.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/golden_text/golden_text.hpp"
#include "worker/slot/job/operands.hpp"

namespace kernsweep {
namespace {

std::string refusal_of(const std::string& text) {
  wire::TensorSpec spec;
  const Status status = choose_distribution(text, spec);
  return status ? "" : status.error().message;
}

wire::TensorSpec chosen(const std::string& text) {
  wire::TensorSpec spec;
  spec.set_density(1);
  const Status status = choose_distribution(text, spec);
  EXPECT_TRUE(status) << status.error().message;
  return spec;
}

TEST(ChooseDistribution, UnderstandsEveryForm) {
  struct Case {
    const char* text;
    ks_distribution distribution;
    double a, b, density;
  };
  for (const Case& each : std::vector<Case>{{"uniform(-1, 1)", KS_UNIFORM, -1, 1, 1},
                                            {"uniform(-1,1)", KS_UNIFORM, -1, 1, 1},
                                            {" uniform ( 0 , 0.5 ) ", KS_UNIFORM, 0, 0.5, 1},
                                            {"normal(0, 2e-2)", KS_NORMAL, 0, 0.02, 1},
                                            {"normal(0, 0.02) density 0.1", KS_NORMAL, 0, 0.02, 0.1},
                                            {"integers(-8, 8)", KS_INTEGERS, -8, 8, 1},
                                            {"outliers(20, 128)", KS_OUTLIERS, 20, 128, 1},
                                            {"kaiming", KS_KAIMING, 0, 0, 1},
                                            {"xavier", KS_XAVIER, 0, 0, 1},
                                            {"kaiming density 0.5", KS_KAIMING, 0, 0, 0.5},
                                            {"xavier density 1", KS_XAVIER, 0, 0, 1}}) {
    const wire::TensorSpec spec = chosen(each.text);
    EXPECT_EQ(spec.distribution(), static_cast<std::uint32_t>(each.distribution)) << each.text;
    EXPECT_EQ(spec.a(), each.a) << each.text;
    EXPECT_EQ(spec.b(), each.b) << each.text;
    EXPECT_EQ(spec.density(), each.density) << each.text;
    EXPECT_EQ(spec.file(), "") << each.text;
  }
}

TEST(ChooseDistribution, UnderstandsFiles) {
  EXPECT_EQ(chosen("weights.npy").file(), "weights.npy");
  EXPECT_EQ(chosen("weights.npy").file_member(), "");
  const wire::TensorSpec member = chosen("dir/density.safetensors:layer.0:weight");
  EXPECT_EQ(member.file(), "dir/density.safetensors");
  EXPECT_EQ(member.file_member(), "layer.0:weight");
  EXPECT_EQ(chosen("weights.safetensors").file(), "weights.safetensors");
}

TEST(ChooseDistribution, RefusesEverythingElseAndSaysWhatMayStandThere) {
  for (const std::string text : {"",
                                 "uniform",
                                 "uniform()",
                                 "uniform(1)",
                                 "uniform(1,)",
                                 "uniform(,1)",
                                 "uniform(1, 2",
                                 "uniform 1, 2",
                                 "uniform(1, 2))",
                                 "uniform(1, 2, 3)",
                                 "uniform(a, b)",
                                 "uniform(1, 2) x",
                                 "Uniform(0, 1)",
                                 "gauss(0, 1)",
                                 "kaiming(1)",
                                 "xavier()",
                                 "normal(0, 1) density",
                                 "normal(0, 1) density 0",
                                 "normal(0, 1) density 1.5",
                                 "normal(0, 1) density -1",
                                 "normal(0, 1) density nan",
                                 "normal(0, 1) density 0.1 0.2x",
                                 "density 0.5",
                                 "weights.txt",
                                 "uniform)0,1(",
                                 "uniform(1e999, 2)"}) {
    const std::string message = refusal_of(text);
    EXPECT_THAT(message, IsGolden()) << text;
    EXPECT_THAT(message, IsGolden()) << text;
  }
}

}  // namespace
}  // namespace kernsweep
