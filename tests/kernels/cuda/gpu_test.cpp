// With the driver of this host: the pack on a real GPU, and what it says where there is none.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/philox_fill.hpp"
#include "tensors/generator.hpp"
#include "tensors/philox.hpp"
#include "tensors/ranges.hpp"
#include "tests/kernels/cuda/gemm_points.hpp"
#include "tests/kernels/cuda/points.hpp"

namespace kernsweep::testing {
namespace {

std::string reason_without_gpu() {
  char why[512] = "";
  return cuda::available({why, sizeof why}) == KS_OK ? "" : why;
}

TEST(CudaWithoutDriver, EveryVariantIsUnsupportedAndSaysWhatToInstall) {
  if (dlopen("libcuda.so.1", RTLD_LAZY) != nullptr) GTEST_SKIP() << "this host has a CUDA driver";
  std::string why;
  EXPECT_EQ(can_run(family_of(cuda_pack(), "memory"), "cuda", settings({{"bytes", 8}}), why),
            KS_UNSUPPORTED);
  EXPECT_THAT(why, ::testing::AllOf(::testing::HasSubstr("no CUDA driver: libcuda.so.1"),
                                    ::testing::HasSubstr("install NVIDIA's driver")));
  const Measured measured =
      measure(family_of(cuda_pack(), "memory"), "cuda", settings({{"bytes", 8}}), {.skip_can_run = true});
  EXPECT_EQ(measured.status, KS_UNSUPPORTED);
  EXPECT_EQ(measured.failed_in, "prepare");
}

class CudaGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = reason_without_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(CudaGpu, EveryVariantAgreesWithItsReference) {
  for (const CudaPoint& point : cuda_points()) {
    const ks_family& family = family_of(cuda_pack(), point.family);
    EXPECT_EQ(mismatch_with_reference(family, point.variant, point.settings), "") << text_of(point);
  }
}

// cuDNN has no algorithm for everything, and says so by its status; what it answers must be right.
TEST_F(CudaGpu, CudnnAgreesWithTheReferenceWhereItDoesTheConvolution) {
  std::string why;
  const ks_family& conv2d = family_of(cuda_pack(), "conv2d");
  const std::vector<std::string> names = names_of_variants(conv2d);
  if (std::find(names.begin(), names.end(), "cudnn") == names.end()) GTEST_SKIP() << "built without cuDNN";
  if (can_run(conv2d, "cudnn", conv2d_settings("f32").front(), why) != KS_OK) GTEST_SKIP() << why;
  for (const char* algorithm : {"heuristic", "implicit_gemm", "implicit_precomp_gemm", "gemm", "winograd",
                                "winograd_nonfused", "fft", "fft_tiling"}) {
    int answered = 0;
    for (const char* dtype : {"f32", "tf32", "bf16", "f16"})
      for (const Settings& shape : conv2d_settings(dtype)) {
        if (std::get<std::int64_t>(shape.at("batch")) == 0) continue;  // never comes to cuDNN
        const Settings set = with(shape, {{"algorithm", algorithm}});
        const Measured measured = measure(conv2d, "cudnn", set);
        if (measured.status == KS_UNSUPPORTED) {
          EXPECT_THAT(measured.why, ::testing::HasSubstr("CUDNN_STATUS_NOT_SUPPORTED"));
          continue;
        }
        ++answered;
        EXPECT_EQ(mismatch_with_reference(conv2d, "cudnn", set), "") << text_of({"conv2d", "cudnn", set});
      }
    // Which others there are depends on the card.
    std::cout << algorithm << " of cuDNN computed " << answered << " points\n";
    const std::string_view name = algorithm;
    EXPECT_TRUE(answered > 0 || (name != "heuristic" && name != "implicit_gemm")) << algorithm;
  }
}

// Many tiles of each kind, sums of 1152 products.
TEST_F(CudaGpu, LayersOfANetworkAgreeToo) {
  const Settings layer = settings({{"batch", 4},
                                   {"c_in", 128},
                                   {"c_out", 160},
                                   {"h", 56},
                                   {"w", 56},
                                   {"kh", 3},
                                   {"kw", 3},
                                   {"padding", 1}});
  const ks_family& conv2d = family_of(cuda_pack(), "conv2d");
  for (const char* layout : {"nchw", "nhwc"})
    for (const char* dtype : {"f32", "bf16", "f16", "s8"}) {
      const Settings set = with(layer, {{"layout", layout}, {"dtype", dtype}});
      EXPECT_EQ(mismatch_with_reference(conv2d, "cuda_direct", set), "")
          << text_of({"conv2d", "cuda_direct", set});
    }
}

TEST_F(CudaGpu, EveryVariantOfGemmAgreesWithTheReferenceWhereItCanRun) {
  std::map<std::string, int> answered;  // by variant and type
  std::string missing;                  // why a library could not be tried
  for (const char* variant : {"cuda_naive", "cuda_tiled", "cuda_wgmma", "cublas", "cublaslt"})
    for (const CudaPoint& point : gemm_points(variant)) {
      const ks_family& family = family_of(cuda_pack(), "gemm");
      std::string why;  // a host may have no cuBLAS
      if (can_run(family, variant, point.settings, why) == KS_UNSUPPORTED) {
        if (std::string_view(variant).starts_with("cublas")) missing = why;
        continue;
      }
      // NVIDIA does not document all products and epilogues that its libraries have not.
      if (std::string_view(variant).starts_with("cublas") &&
          measure(family, variant, point.settings).why.find("NOT_SUPPORTED") != std::string::npos)
        continue;
      EXPECT_EQ(mismatch_with_reference(family, variant, point.settings), "") << text_of(point);
      ++answered[std::string(variant) + " " + std::get<std::string>(point.settings.at("dtype"))];
    }
  for (const auto& [what, points] : answered) std::cout << what << " computed " << points << " points\n";
  for (const char* const library : {"cublas f32", "cublas bf16", "cublaslt f32", "cublaslt bf16"})
    if (answered[library] == 0) std::cout << "MISSING: " << library << "; " << missing << '\n';
}

// Many blocks on each multiprocessor, long sums, and an edge in all directions.
TEST_F(CudaGpu, LargeProductsAgreeToo) {
  for (const char* dtype : {"f32", "tf32", "bf16", "f16"})
    for (const char* variant : {"cuda_naive", "cuda_tiled", "cuda_wgmma", "cublas", "cublaslt"})
      for (const int k : {1000, 16384}) {
        const Settings set =
            settings({{"m", 1200}, {"n", 1304}, {"k", k}, {"dtype", dtype}, {"trans_b", "t"}});
        std::string why;
        const ks_family& family = family_of(cuda_pack(), "gemm");
        if (can_run(family, variant, set, why) == KS_UNSUPPORTED) continue;
        EXPECT_EQ(mismatch_with_reference(family, variant, set, {.threads = 8}), "")
            << variant << " " << dtype << " " << k;
      }
}

// Large enough to fill the GPU, so that each thread takes many items.
TEST_F(CudaGpu, LargeArraysAgreeToo) {
  for (const char* variant : {"cuda", "cuda_memcpy"})
    EXPECT_EQ(mismatch_with_reference(family_of(cuda_pack(), "stream"), variant,
                                      settings({{"n", 10000003}, {"op", "copy"}, {"dtype", "f32"}})),
              "");
  EXPECT_EQ(mismatch_with_reference(family_of(cuda_pack(), "stream"), "cuda",
                                    settings({{"n", 10000003}, {"op", "triad"}})),
            "");
  EXPECT_EQ(mismatch_with_reference(
                family_of(cuda_pack(), "transfer"), "cuda",
                settings({{"bytes", 64 << 20}, {"direction", "both"}, {"mode", "overlap"}, {"steps", 10}})),
            "");
  EXPECT_EQ(
      mismatch_with_reference(family_of(cuda_pack(), "memory"), "cuda", settings({{"bytes", 1 << 30}})),
      "");
}

TEST_F(CudaGpu, MoreMemoryThanThereIsIsOutOfMemory) {
  const Measured measured =
      measure(family_of(cuda_pack(), "memory"), "cuda", settings({{"bytes", std::int64_t{1} << 44}}));
  EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY);
  EXPECT_THAT(measured.why, ::testing::HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST_F(CudaGpu, PhiloxHasTheBitsOfTheLibrary) {
  constexpr std::size_t kElements = 1000003;
  const cuda::Device& device = cuda::open_device();
  cuda::MemoryCount count;
  const cuda::DeviceMemory memory(4 * kElements, count);
  const cuda::PhiloxFill fill(device);
  const cuda::Stream stream;
  const auto fetch = [&](void* to) {
    cuda::copy_to_host(to, memory.address(), 4 * kElements, stream);
    stream.synchronize();
  };

  std::vector<std::uint32_t> words(kElements), expected_words((kElements + 3) / 4 * 4);
  fill.words(static_cast<std::uint32_t*>(memory.address()), kElements, 0x0123456789abcdef, 1, stream);
  fetch(words.data());
  fill_philox(0x0123456789abcdef, 1, 0, expected_words, Instructions::plain);
  expected_words.resize(kElements);
  EXPECT_EQ(words, expected_words);

  TensorSpec spec;
  spec.shape = {kElements};
  spec.distribution = Distribution::uniform;
  spec.a = 0.1;
  spec.b = 0.3;
  spec.seed = 42;
  std::vector<float> floats(kElements), expected(kElements);
  fill.uniform(
      static_cast<float*>(memory.address()), kElements, 42,
      {0.1f, static_cast<float>(spec.b - spec.a), static_cast<float>(smallest_from(Dtype::f32, spec.a)),
       static_cast<float>(largest_below(Dtype::f32, spec.b))},
      stream);
  fetch(floats.data());
  ASSERT_TRUE(generate(spec, std::as_writable_bytes(std::span(expected)), 1));
  EXPECT_EQ(std::memcmp(floats.data(), expected.data(), 4 * kElements), 0);
}

}  // namespace
}  // namespace kernsweep::testing
