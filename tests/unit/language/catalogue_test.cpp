// Sweeps against what hosts can run.
#include <gmock/gmock.h>

#include "language/check/catalogue_check.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

Catalogue gemm() {
  CatalogueFamily family;
  family.name = "gemm";
  family.parameters = {{"m", "integer", {}, true, ""}, {"dtype", "text", {"f32", "bf16"}, false, "f32"}};
  family.variants = {{"naive", {}, true, ""},
                     {"blocked", {{"block_m", "integer", {}, false, "64"}}, true, ""},
                     {"blas", {{"blas.library", "text", {}, true, ""}}, true, ""}};
  return Catalogue{{family}};
}

std::string verdict(const std::string& rest, const Catalogue& catalogue = gemm(),
                    const Replacements& replacements = {}) {
  const auto e = expansion_of(rest, replacements);
  const auto good = check_against(e.sweep(), e, catalogue);
  return good ? "" : good.error().message;
}

TEST(CatalogueCheck, KnownNamesPass) {
  EXPECT_EQ(verdict("axes: {variant: [naive, blocked], m: [1], dtype: [f32], threads: [1], env.X: [y], "
                    "block_m: [32], "
                    "label: [l], input.a: [kaiming]}\nderive: {flops: m}"),
            "");
}

TEST(CatalogueCheck, UnknownKernelsSuggestTheNearest) {
  Catalogue other = gemm();
  other.families[0].name = "gemmm";
  EXPECT_EQ(verdict("axes: {m: [1]}", other),
            "s.yaml:3:9: there is no kernel 'gemm'; did you mean 'gemmm'?");
}

TEST(CatalogueCheck, UnknownVariantsArePlaced) {
  EXPECT_EQ(verdict("axes: {m: [1], variant: [naive, bloked]}"),
            "s.yaml:4:33: kernel 'gemm' has no variant 'bloked'; did you mean 'blocked'?");
  EXPECT_EQ(verdict("axes: {m: [1], variant: [naive]}\ninclude: [{m: 2, variant: fast}]"),
            "s.yaml: include: kernel 'gemm' has no variant 'fast'; known: naive, blocked, blas");
}

TEST(CatalogueCheck, AVariantForGpusNeedsAJobThatGetsOne) {
  Catalogue catalogue = gemm();
  catalogue.families[0].variants.push_back({"cuda", {}, true, "", "gpu"});
  EXPECT_EQ(verdict("axes: {m: [1], variant: [naive, cuda]}", catalogue),
            "s.yaml:4:33: the variant 'cuda' of kernel 'gemm' computes on a GPU; add the axis `device: "
            "[gpu]`, which gives its jobs one");
  EXPECT_EQ(verdict("axes: {m: [1], variant: [naive, cuda], device: [cpu, gpu]}", catalogue), "");
  EXPECT_EQ(verdict("axes: {m: [1], variant: [cuda], gpus: [2]}", catalogue), "");
}

TEST(CatalogueCheck, AHostWithoutVariantsForGpusSaysNothingOfASweepThatAsksForThem) {
  const auto of_cpu = expansion_of("axes: {m: [1], variant: [cuda], device: [cpu]}");
  const auto of_gpu = expansion_of("axes: {m: [1], variant: [cuda], device: [cpu, gpu]}");
  EXPECT_TRUE(can_judge(of_cpu, gemm()));
  EXPECT_FALSE(can_judge(of_gpu, gemm()));
  Catalogue with_cuda = gemm();
  with_cuda.families[0].variants.push_back({"cuda", {}, true, "", "gpu"});
  EXPECT_TRUE(can_judge(of_gpu, with_cuda));
  with_cuda.families[0].name = "other";
  EXPECT_FALSE(can_judge(of_gpu, with_cuda));
}

TEST(CatalogueCheck, OneOfSeveralVariantsMustBeChosen) {
  EXPECT_EQ(verdict("axes: {m: [1]}"),
            "s.yaml:3:9: kernel 'gemm' has several variants; add the axis `variant` with one or more of "
            "naive, blocked, blas");
  Catalogue one = gemm();
  one.families[0].variants.resize(1);
  EXPECT_EQ(verdict("axes: {m: [1]}", one), "");
}

TEST(CatalogueCheck, AParameterBelongsToASweptVariantOrToNone) {
  EXPECT_EQ(verdict("axes: {m: [1], variant: [naive], block_m: [1]}"),
            "s.yaml:4:34: kernel 'gemm' has no parameter 'block_m'; known: m, dtype, variant, "
            "threads, copies, device, gpus");
  EXPECT_EQ(verdict("axes: {m: [1], variant: [blocked], blok_m: [1]}"),
            "s.yaml:4:36: kernel 'gemm' has no parameter 'blok_m'; did you mean 'block_m'?");
  Catalogue any = gemm();
  any.families[0].any_parameters = true;
  EXPECT_EQ(verdict("axes: {m: [1], variant: [naive], anything: [1]}", any), "");
}

TEST(CatalogueCheck, ChoicesAreHeld) {
  EXPECT_EQ(verdict("axes: {m: [1], variant: naive, dtype: [f32, f23]}"),
            "s.yaml:4:45: parameter 'dtype' of kernel 'gemm' cannot be 'f23'; did you mean 'f32'?");
}

TEST(CatalogueCheck, ChoicesOfANameThatSeveralVariantsHaveAreThoseOfAllThatAreSwept) {
  Catalogue catalogue = gemm();
  catalogue.families[0].variants = {{"tiled", {{"tile", "integer", {"32", "64"}, false, "64"}}, true, ""},
                                    {"wide", {{"tile", "integer", {"64", "256"}, false, "256"}}, true, ""},
                                    {"free", {{"tile", "integer", {}, false, "1"}}, true, ""}};
  for (const char* variants : {"[tiled, wide]", "[wide, tiled]"}) {
    const std::string begin = std::string("axes: {m: [1], variant: ") + variants;
    EXPECT_EQ(verdict(begin + ", tile: [32, 64, 256]}", catalogue), "");
    EXPECT_THAT(verdict(begin + ", tile: [32, 96]}", catalogue), IsGolden());
  }
  EXPECT_EQ(verdict("axes: {m: [1], variant: [wide], tile: [256, 32]}", catalogue),
            "s.yaml:4:45: parameter 'tile' of kernel 'gemm' cannot be '32'; known: 64, 256");
  EXPECT_EQ(verdict("axes: {m: [1], variant: [tiled, free], tile: [96]}", catalogue), "");
}

TEST(CatalogueCheck, ReplacementsAreNamedInsteadOfLines) {
  EXPECT_EQ(verdict("axes: {m: [1], variant: naive, dtype: [f32]}", gemm(),
                    Replacements{{"dtype=[f23]"}, {}, "", "", false}),
            "on the command line, -a 'dtype=[f23]': parameter 'dtype' of kernel 'gemm' cannot be 'f23'; "
            "did you mean "
            "'f32'?");
}

TEST(CatalogueCheck, RequiredParametersMustBeThere) {
  EXPECT_EQ(verdict("axes: {variant: [naive]}"),
            "s.yaml: kernel 'gemm' needs the parameter 'm' (integer); add it to `axes`");
  EXPECT_EQ(verdict("axes: {m: [1], variant: [blas]}"),
            "s.yaml: kernel 'gemm' needs the parameter 'blas.library' (text); add it to `axes`");
}

}  // namespace
}  // namespace kernsweep::sweep_test
