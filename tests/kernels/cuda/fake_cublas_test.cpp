// The simulated cuBLASLt is as strict about an epilogue as the real one, or stricter: a variant that
// describes it wrongly does not get away with it.
#include <cublasLt.h>
#include <gmock/gmock.h>

#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/cuda_work.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"
#include "tests/kernels/cuda/fake_cublas/fake_cublas.hpp"

namespace kernsweep::testing {
namespace {

struct Asked {
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  bool has_bias = true, on_device = true;
  std::size_t bias_bytes = 8;
  std::int32_t bias_type = CUDA_R_32F;
  cudaDataType_t type = CUDA_R_32F;
};

// The status of a product of 2 x 2 by 2 x 2, or "died: ...".
std::string answer_to(const Asked& asked) {
  return in_child([&] {
    fake_cuda::start();
    fake_cublas::start();
    cuda::open_device();
    cuda::MemoryCount count;
    const cuda::DeviceMemory matrix(32, count), bias_on_device(asked.bias_bytes, count);
    const float bias_on_host[2] = {};
    const void* const bias = asked.on_device ? bias_on_device.address() : bias_on_host;
    const bool is_f32 = asked.type == CUDA_R_32F;
    cublasLtHandle_t handle = nullptr;
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t at_ab = nullptr, at_c = nullptr;
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&operation, is_f32 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32I,
                             is_f32 ? CUDA_R_32F : CUDA_R_32I);
    cublasLtMatrixLayoutCreate(&at_ab, asked.type, 2, 2, is_f32 ? 2 : 4);
    cublasLtMatrixLayoutCreate(&at_c, is_f32 ? CUDA_R_32F : CUDA_R_32I, 2, 2, 2);
    cublasLtMatmulPreferenceCreate(&preference);
    const std::uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reduction,
                                         sizeof reduction);
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
      return cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value);
    };
    const cublasStatus_t described = set(CUBLASLT_MATMUL_DESC_EPILOGUE, asked.epilogue);
    if (described != CUBLAS_STATUS_SUCCESS) return std::to_string(described);
    if (asked.has_bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, asked.bias_type);
    cublasLtMatmulHeuristicResult_t known{};
    int found = 0;
    cublasLtMatmulAlgoGetHeuristic(handle, operation, at_ab, at_ab, at_c, at_c, preference, 1, &known,
                                   &found);
    const float one_f32 = 1, zero_f32 = 0;
    const std::int32_t one_s32 = 1, zero_s32 = 0;
    const void* const one = is_f32 ? static_cast<const void*>(&one_f32) : &one_s32;
    const void* const zero = is_f32 ? static_cast<const void*>(&zero_f32) : &zero_s32;
    const cuda::Stream stream;
    const cublasStatus_t multiplied = cublasLtMatmul(
        handle, operation, one, matrix.address(), at_ab, matrix.address(), at_ab, zero, matrix.address(),
        at_c, matrix.address(), at_c, &known.algo, nullptr, 0, stream.get());
    stream.synchronize();
    return std::to_string(multiplied);
  });
}

const std::string kDone = std::to_string(CUBLAS_STATUS_SUCCESS);
const std::string kNotSupported = std::to_string(CUBLAS_STATUS_NOT_SUPPORTED);

TEST(FakeCublasLt, TakesABiasOfTheTypeOfTheResult) {
  EXPECT_EQ(answer_to({}), kDone);
  EXPECT_EQ(answer_to({.bias_type = -1}), kDone);
  EXPECT_EQ(answer_to({.bias_type = CUDA_R_16BF}), kNotSupported);
  EXPECT_EQ(answer_to({.epilogue = CUBLASLT_EPILOGUE_RELU, .has_bias = false}), kDone);
}

TEST(FakeCublasLt, HasNoEpilogueForIntegers) {
  EXPECT_EQ(answer_to({.bias_type = CUDA_R_32I, .type = CUDA_R_8I}), kNotSupported);
  EXPECT_EQ(answer_to({.epilogue = CUBLASLT_EPILOGUE_RELU, .has_bias = false, .type = CUDA_R_8I}),
            kNotSupported);
}

TEST(FakeCublasLt, KnowsNoOtherEpilogues) {
  EXPECT_EQ(answer_to({.epilogue = CUBLASLT_EPILOGUE_BGRADA}), std::to_string(CUBLAS_STATUS_INVALID_VALUE));
}

TEST(FakeCublasLt, EndsTheProgramForABiasThatIsMissingElsewhereOrTooShort) {
  EXPECT_THAT(answer_to({.has_bias = false}), ::testing::StartsWith("died: "));
  EXPECT_THAT(answer_to({.on_device = false}), ::testing::StartsWith("died: "));
  EXPECT_THAT(answer_to({.bias_bytes = 4}), ::testing::StartsWith("died: "));
  EXPECT_THAT(answer_to({.epilogue = CUBLASLT_EPILOGUE_RELU}), ::testing::StartsWith("died: "))
      << "a bias that nobody asked for";
}

}  // namespace
}  // namespace kernsweep::testing
