// The cost of measuring: a product by the pack compared with the same call of cuBLASLt made directly.
#include <cublasLt.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/cuda_work.hpp"
#include "tests/kernels/cuda/points.hpp"

namespace kernsweep::testing {
namespace {

constexpr std::size_t kWorkspace = 32 << 20;
constexpr int kCalls = 50;

// C^T = B^T A of bf16, all n x n, as a program that needs nothing else would write it.
class BareProduct {
 public:
  explicit BareProduct(void* library, std::int64_t n) : n_(n) {
    find(library, create_, "cublasLtCreate");
    find(library, describe_, "cublasLtMatmulDescCreate");
    find(library, set_, "cublasLtMatmulDescSetAttribute");
    find(library, lay_out_, "cublasLtMatrixLayoutCreate");
    find(library, prefer_, "cublasLtMatmulPreferenceCreate");
    find(library, set_preference_, "cublasLtMatmulPreferenceSetAttribute");
    find(library, choose_, "cublasLtMatmulAlgoGetHeuristic");
    find(library, multiply_, "cublasLtMatmul");
    prepare();
  }

  // Seconds of a call, by events around kCalls of them.
  double measure() const {
    const cuda::Event begin, end;
    begin.record(stream_);
    for (int call = 0; call < kCalls; ++call) multiply();
    end.record(stream_);
    end.synchronize();
    return end.seconds_since(begin) / kCalls;
  }

 private:
  template <class Function>
  static void find(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("cuBLASLt has no ") + name);
  }
  static void good(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw std::runtime_error("cuBLASLt answers " + std::to_string(static_cast<int>(status)));
  }

  void prepare() {
    const std::size_t bytes = static_cast<std::size_t>(n_ * n_) * 2;
    for (cuda::DeviceMemory* matrix : {&a_, &b_, &c_}) *matrix = cuda::DeviceMemory(bytes, count_);
    workspace_ = cuda::DeviceMemory(kWorkspace, count_);
    // Numbers of the same kind as those of the family: zeros would cost less power, and so less time.
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<std::uint16_t> elements(bytes / 2);
    for (const cuda::DeviceMemory* matrix : {&a_, &b_}) {
      for (std::uint16_t& element : elements) {
        const float value = uniform(random);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        element = static_cast<std::uint16_t>(bits >> 16);
      }
      cuda::copy_to_device(matrix->address(), elements.data(), bytes, stream_);
      stream_.synchronize();
    }
    good(create_(&handle_));
    good(describe_(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t transposed = CUBLAS_OP_T;
    good(set_(product_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
    const auto n = static_cast<std::uint64_t>(n_);
    good(lay_out_(&layout_, CUDA_R_16BF, n, n, n_));
    cublasLtMatmulPreference_t preference = nullptr;
    good(prefer_(&preference));
    good(set_preference_(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                         sizeof kWorkspace));
    int found = 0;
    good(choose_(handle_, product_, layout_, layout_, layout_, layout_, preference, 1, &chosen_, &found));
    if (found != 1) throw std::runtime_error("cuBLASLt knows no algorithm");
    multiply();
    stream_.synchronize();
  }

  void multiply() const {
    const float one = 1, zero = 0;
    good(multiply_(handle_, product_, &one, b_.address(), layout_, a_.address(), layout_, &zero,
                   c_.address(), layout_, c_.address(), layout_, &chosen_.algo, workspace_.address(),
                   kWorkspace, stream_.get()));
  }

  std::int64_t n_;
  cuda::MemoryCount count_;
  cuda::DeviceMemory a_, b_, c_, workspace_;
  cuda::Stream stream_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t layout_ = nullptr;
  cublasLtMatmulHeuristicResult_t chosen_{};
  decltype(&::cublasLtCreate) create_ = nullptr;
  decltype(&::cublasLtMatmulDescCreate) describe_ = nullptr;
  decltype(&::cublasLtMatmulDescSetAttribute) set_ = nullptr;
  decltype(&::cublasLtMatrixLayoutCreate) lay_out_ = nullptr;
  decltype(&::cublasLtMatmulPreferenceCreate) prefer_ = nullptr;
  decltype(&::cublasLtMatmulPreferenceSetAttribute) set_preference_ = nullptr;
  decltype(&::cublasLtMatmulAlgoGetHeuristic) choose_ = nullptr;
  decltype(&::cublasLtMatmul) multiply_ = nullptr;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

TEST(CudaGpuBare, AProductOfThePackTakesNoLongerThanTheCallByHand) {
  char why[512] = "";
  if (cuda::available({why, sizeof why}) != KS_OK) GTEST_SKIP() << why;
  void* library = dlopen("libcublasLt.so.13", RTLD_NOW);
  if (library == nullptr) library = dlopen("libcublasLt.so.12", RTLD_NOW);
  if (library == nullptr) GTEST_SKIP() << "no cuBLASLt";
  cuda::open_device();
  constexpr std::size_t kLarge = std::size_t{4} << 30;
  const std::int64_t n = cuda::memory_room().total >= kLarge ? 8192 : 64;
  const Settings cube = settings(
      {{"m", n}, {"n", n}, {"k", n}, {"dtype", "bf16"}, {"trans_b", "t"}, {"workspace_bytes", 32 << 20}});
  const ks_family& gemm = family_of(cuda_pack(), "gemm");
  const BareProduct bare(library, n);
  // Interleaved, so that what the card's clock does meets both.
  std::vector<double> by_hand, by_pack;
  for (int round = 0; round < 3; ++round) {
    bare.measure();
    by_hand.push_back(bare.measure());
    const Measured measured = measure(gemm, "cublaslt", cube, {.runs = 20, .queued = kCalls});
    ASSERT_EQ(measured.failed_in, "") << measured.why;
    by_pack.push_back(measured.elapsed.value_or(0) / kCalls);
  }
  const double ratio = median(by_pack) / median(by_hand);
  std::printf("cublaslt bf16 %lld cubed: %.4g ms by hand, %.4g ms by the pack, %.4f times\n",
              static_cast<long long>(n), median(by_hand) * 1e3, median(by_pack) * 1e3, ratio);
  RecordProperty("ratio", std::to_string(ratio));
  if (n == 8192) {
    EXPECT_LT(ratio, 1.03);
  }
}

}  // namespace
}  // namespace kernsweep::testing
