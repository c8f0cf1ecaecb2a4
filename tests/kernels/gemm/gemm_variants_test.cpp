// Every variant against the reference. A library is touched only in a child process: OpenBLAS and BLIS read
// their settings when they load, and two BLAS libraries must not share a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/kernels/gemm/gemm_points.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Sizes of 1, primes, sizes just below, at and above register tiles (12 x 32, 6 x 16, 4 x 8) and blocks.
std::vector<Settings> shapes() {
  std::vector<Settings> all;
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1},
                                {1, 1, 300},
                                {1, 257, 3},
                                {263, 1, 5},
                                {2, 3, 1},
                                {7, 11, 13},
                                {12, 32, 256},
                                {13, 33, 257},
                                {11, 31, 255},
                                {97, 101, 103},
                                {241, 65, 512},
                                {30, 513, 70},
                                {14, 35, 1031}})
    all.push_back(product(m, n, k));
  return all;
}

std::vector<Settings> layouts() {
  std::vector<Settings> all;
  const Settings base = product(19, 37, 23);
  for (const char* trans_a : {"n", "t"})
    for (const char* trans_b : {"n", "t"}) {
      const Settings set = with(base, {{"trans_a", trans_a}, {"trans_b", trans_b}});
      all.push_back(set);
      all.push_back(with(set, {{"lda", 41}, {"ldb", 43}, {"ldc", 47}}));
      all.push_back(with(set, {{"batch", 3}, {"lda", 29}, {"ldb", 64}, {"ldc", 38}}));
    }
  return all;
}

std::vector<Settings> empty_ones() {
  return {product(0, 5, 5), product(5, 0, 5), product(5, 5, 0), product(0, 0, 0),
          with(product(5, 5, 5), {{"batch", 0}})};
}

// All mismatches of a variant with the reference, one per line. `extra` is set on every point.
std::string mismatches(const std::string& variant, const std::vector<Settings>& points,
                       std::initializer_list<std::pair<const char*, Literal>> extra, int threads = 1) {
  HostOptions options;
  options.threads = threads;
  std::string all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string text = mismatch_with_reference(gemm(), variant, with(points[i], extra), options);
    if (!text.empty()) all += "point " + std::to_string(i) + ": " + text + "\n";
  }
  return all;
}

std::string all_mismatches(const std::string& variant,
                           std::initializer_list<std::pair<const char*, Literal>> extra, int threads = 1) {
  return mismatches(variant, shapes(), extra, threads) + mismatches(variant, layouts(), extra, threads) +
         mismatches(variant, empty_ones(), extra, threads);
}

TEST(GemmBlocked, AgreesWithTheReference) {
  for (const char* dtype : {"f32", "f64"})
    for (const int threads : {1, 3}) EXPECT_EQ(all_mismatches("blocked", {{"dtype", dtype}}, threads), "");
}

TEST(GemmBlocked, AgreesWithEveryInstructionSetThatTheProcessorHas) {
  for (const char* isa : {"baseline", "avx2", "avx512f"})
    for (const char* dtype : {"f32", "f64"}) {
      std::string why;
      if (can_run(gemm(), "blocked", with(product(1, 1, 1), {{"isa", isa}}), why) != KS_OK) {
        EXPECT_THAT(why, HasSubstr(isa));
        EXPECT_STRNE(isa, "baseline");
        continue;
      }
      EXPECT_EQ(all_mismatches("blocked", {{"isa", isa}, {"dtype", dtype}}), "") << isa;
      const Measured c = measure(gemm(), "blocked", with(product(9, 9, 9, dtype), {{"isa", isa}}));
      EXPECT_EQ(told_in(c.runtime)["isa"], isa) << c.runtime;
    }
}

TEST(GemmBlocked, AgreesForBlocksThatFitNothing) {
  for (const int block : {1, 7, 33, 1000000})
    EXPECT_EQ(all_mismatches("blocked", {{"block_m", block}, {"block_n", block}, {"block_k", block}}, 2),
              "")
        << block;
}

TEST(GemmBlocked, GivesTheSameBitsForAnyNumberOfThreads) {
  const Settings set = product(97, 213, 700);
  HostOptions alone;
  HostOptions many;
  many.threads = 4;
  EXPECT_EQ(measure(gemm(), "blocked", set, alone).values, measure(gemm(), "blocked", set, many).values);
}

TEST(GemmBlocked, LeavesTheSameOutputOnEveryRun) {
  const Settings set = product(61, 67, 600);
  HostOptions once;
  once.runs = 1;
  HostOptions often;
  often.runs = 4;
  EXPECT_EQ(measure(gemm(), "blocked", set, once).values, measure(gemm(), "blocked", set, often).values);
}

TEST(GemmBlocked, KeepsItsNaNs) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    return input == "a" && index == 0 ? std::nan("") : 1.0;
  };
  const Measured c = measure(gemm(), "blocked", product(2, 2, 2), options);
  EXPECT_TRUE(std::isnan(c.values[0]) && std::isnan(c.values[1]));
  EXPECT_EQ(c.values[2], 2);
  EXPECT_THAT(mismatch_with_reference(gemm(), "blocked", product(2, 2, 2), options), HasSubstr("nan"))
      << "a comparison must not let a NaN pass";
}

TEST(GemmBlas, OpenBlasAgreesWithTheReference) {
  for (const char* dtype : {"f32", "f64"})
    EXPECT_EQ(in_child([&] { return all_mismatches("blas", {{"dtype", dtype}}, 2); }), "") << dtype;
}

TEST(GemmBlas, BlisAgreesWithTheReference) {
  for (const char* dtype : {"f32", "f64"})
    EXPECT_EQ(in_child([&] {
                return all_mismatches("blas", {{"dtype", dtype}, {"blas.library", "libblis.so.4"}}, 2);
              }),
              "")
        << dtype;
}

TEST(GemmBlas, SaysWhatTheLibraryReallyIs) {
  const auto runtime = [](const char* library, int threads) {
    HostOptions options;
    options.threads = threads;
    return measure(gemm(), "blas", with(product(3, 3, 3), {{"blas.library", library}}), options).runtime;
  };
  const std::string openblas = in_child([&] { return runtime("libopenblas.so.0", 1); });
  EXPECT_THAT(openblas, StartsWith("OpenBLAS 0."));
  EXPECT_NE(told_in(openblas)["core"], "") << openblas;
  EXPECT_EQ(told_in(openblas)["threads"], "1") << openblas;
  EXPECT_THAT(told_in(openblas)["file"], StartsWith("/")) << openblas;
  const std::string blis = in_child([&] { return runtime("libblis.so.4", 2); });
  EXPECT_THAT(blis, StartsWith("BLIS 0."));
  EXPECT_NE(told_in(blis)["arch"], "") << blis;
  EXPECT_EQ(told_in(blis)["threads"], "2") << blis;
  EXPECT_THAT(told_in(blis)["file"], HasSubstr("libblis.so"));
}

TEST(GemmBlas, ObeysTheCoreTypeOfTheEnvironment) {
#if defined(__aarch64__)
  const std::string core = "cortexa57";
#else
  const std::string core = "Prescott";
#endif
  const std::string runtime = in_child([&] {
    setenv("OPENBLAS_CORETYPE", core.c_str(), 1);
    return measure(gemm(), "blas", product(3, 3, 3)).runtime;
  });
  EXPECT_EQ(told_in(runtime)["core"], core) << runtime;
}

TEST(GemmOneDnn, AgreesWithTheReference) {
  for (const char* dtype : {"f32", "bf16", "f16", "s8"})
    for (const char* weights : {"plain", "packed"})
      for (const int threads : {1, 2}) {
        std::string why;
        const Settings probe = with(product(7, 7, 7, dtype), {{"weights", weights}});
        if (can_run(gemm(), "onednn", probe, why) == KS_UNSUPPORTED) {
          EXPECT_THAT(why, AllOf(HasSubstr("oneDNN"), HasSubstr(dtype))) << "a no needs its reason";
          EXPECT_STRNE(dtype, "f32") << "every processor can multiply f32";
          continue;
        }
        EXPECT_EQ(in_child([&] {
                    return all_mismatches("onednn", {{"dtype", dtype}, {"weights", weights}}, threads);
                  }),
                  "")
            << dtype << " " << weights << " " << threads;
      }
}

TEST(GemmOneDnn, WritesBf16ProductsAsF32WhenAsked) {
  const Settings set = with(product(33, 35, 37, "bf16"), {{"out", "f32"}});
  std::string why;
  if (can_run(gemm(), "onednn", set, why) != KS_OK) GTEST_SKIP() << why;
  EXPECT_EQ(in_child([&] { return mismatch_with_reference(gemm(), "onednn", set); }), "");
  EXPECT_EQ(in_child([&] { return std::to_string(measure(gemm(), "onednn", set).dtype); }),
            std::to_string(KS_F32));
}

TEST(GemmOneDnn, RunsOnAsManyThreadsAsItIsGiven) {
  for (const int threads : {1, 2, 3}) {
    HostOptions options;
    options.threads = threads;
    const std::string runtime =
        in_child([&] { return measure(gemm(), "onednn", product(64, 64, 64), options).runtime; });
    EXPECT_THAT(runtime, StartsWith("oneDNN "));
    EXPECT_NE(told_in(runtime)["isa"], "") << runtime;
    EXPECT_NE(told_in(runtime)["impl"], "") << runtime;
    EXPECT_EQ(told_in(runtime)["threads"], std::to_string(threads)) << runtime;
  }
}

TEST(GemmPack, VerifiesEveryVariantThatItOffers) {
  EXPECT_THAT(names_of_variants(gemm()),
              ::testing::UnorderedElementsAre("naive", "blocked", "blas", "onednn"))
      << "a new variant needs its own test here";
}

}  // namespace
}  // namespace kernsweep::testing
