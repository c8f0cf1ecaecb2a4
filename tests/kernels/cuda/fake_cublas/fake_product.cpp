#include "tests/kernels/cuda/fake_cublas/fake_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/base/dtype.hpp"

namespace kernsweep::testing::fake_cublas {
namespace {

Dtype dtype_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return Dtype::f64;
    case CUDA_R_32F:
      return Dtype::f32;
    case CUDA_R_16BF:
      return Dtype::bf16;
    case CUDA_R_16F:
      return Dtype::f16;
    case CUDA_R_8I:
      return Dtype::s8;
    case CUDA_R_32I:
      return Dtype::s32;
    case CUDA_R_8F_E4M3:
      return Dtype::f8e4m3;
    case CUDA_R_8F_E5M2:
      return Dtype::f8e5m2;
    default:
      misuse("a type that is not simulated");
  }
}

// The tables of cublasGemmEx and cublasLtMatmul, as far as the family goes.
bool is_known(const Product& p) {
  const cudaDataType_t ab = p.a.type, c = p.c.type;
  if (ab != p.b.type) return false;
  switch (p.compute) {
    case CUBLAS_COMPUTE_64F:
      return p.scale == CUDA_R_64F && ab == CUDA_R_64F && c == CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
      return p.scale == CUDA_R_32I && ab == CUDA_R_8I && c == CUDA_R_32I;
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return p.scale == CUDA_R_32F && ab == CUDA_R_32F && c == CUDA_R_32F;
    case CUBLAS_COMPUTE_32F:
      if (p.scale != CUDA_R_32F) return false;
      if (ab == CUDA_R_32F) return c == CUDA_R_32F;
      if (ab == CUDA_R_16BF || ab == CUDA_R_16F) return c == ab || c == CUDA_R_32F;
      return ab == CUDA_R_8F_E4M3 && (c == CUDA_R_32F || c == CUDA_R_16BF || c == CUDA_R_16F);
    default:
      return false;
  }
}

// The column "Bias Type" of these tables: an f32 result of 8-bit floats has a bias in bf16.
bool is_known(const Epilogue& epilogue, const Product& p) {
  if (epilogue.kind == CUBLASLT_EPILOGUE_DEFAULT) return true;
  if (p.compute == CUBLAS_COMPUTE_32I) return false;
  if (!has_bias(epilogue)) return true;
  const bool is_f8_to_f32 = p.a.type == CUDA_R_8F_E4M3 && p.c.type == CUDA_R_32F;
  const cudaDataType_t expected = is_f8_to_f32 ? CUDA_R_16BF : p.c.type;
  return epilogue.bias_type == expected || (epilogue.bias_type == -1 && !is_f8_to_f32);
}

// The requirements of vector reads: s8 by 4 bytes, f8 by 16 and only along k ("TN").
bool is_readable(const Product& p) {
  const auto every = [&](std::int64_t multiple, std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes)
      if (size % multiple != 0) return false;
    return true;
  };
  if (p.a.type == CUDA_R_8I) return every(4, {p.a.leading, p.b.leading, p.a.batch_step, p.b.batch_step});
  if (p.a.type != CUDA_R_8F_E4M3) return true;
  const auto in_c = static_cast<std::int64_t>(16 / size_of(dtype_of(p.c.type)));
  return p.operation_a == CUBLAS_OP_T && p.operation_b == CUBLAS_OP_N &&
         every(16, {p.a.rows, p.a.columns, p.a.leading, p.b.leading, p.a.batch_step, p.b.batch_step}) &&
         every(in_c, {p.c.leading, p.c.batch_step});
}

double factor(const void* value, cudaDataType_t scale) {
  return element_as_double(dtype_of(scale), value, 0);
}

void require_matrix(const Matrix& matrix, std::int64_t batch, const char* name) {
  if (matrix.rows < 1 || matrix.columns < 1 || matrix.leading < matrix.rows)
    misuse(fmt::format("{} is {} x {} with a leading dimension of {}", name, matrix.rows, matrix.columns,
                       matrix.leading));
  const std::int64_t last =
      (batch - 1) * matrix.batch_step + (matrix.columns - 1) * matrix.leading + matrix.rows;
  fake_cuda::require_device_range(fake_cuda::number_of(matrix.data),
                                  static_cast<std::size_t>(last) * size_of(dtype_of(matrix.type)), name);
}

double element(const Matrix& matrix, std::int64_t batch, std::int64_t i, std::int64_t j) {
  return element_as_double(dtype_of(matrix.type), matrix.data,
                           batch * matrix.batch_step + i + j * matrix.leading);
}

void store(const Matrix& matrix, std::int64_t at, double value) {
  auto* const data = const_cast<void*>(matrix.data);
  switch (matrix.type) {
    case CUDA_R_64F:
      static_cast<double*>(data)[at] = value;
      return;
    case CUDA_R_32F:
      static_cast<float*>(data)[at] = static_cast<float>(value);
      return;
    case CUDA_R_16BF:
      static_cast<std::uint16_t*>(data)[at] = bf16_of(value);
      return;
    case CUDA_R_16F:
      static_cast<std::uint16_t*>(data)[at] = f16_of(value);
      return;
    default:
      static_cast<std::int32_t*>(data)[at] = static_cast<std::int32_t>(value);
  }
}

double finished(const Product& p, double sum, std::int64_t row) {
  const Epilogue& epilogue = p.epilogue;
  if (has_bias(epilogue)) {
    const auto type = epilogue.bias_type == -1 ? p.c.type : static_cast<cudaDataType_t>(epilogue.bias_type);
    sum += element_as_double(dtype_of(type), epilogue.bias, row);
  }
  if ((epilogue.kind & CUBLASLT_EPILOGUE_RELU) != 0) return std::max(sum, 0.0);
  if ((epilogue.kind & CUBLASLT_EPILOGUE_GELU) == 0) return sum;
  return sum / (1 + std::exp(-1.5957691216057308 * (sum + 0.044715 * sum * sum * sum)));
}

void require_bias(const Product& p) {
  if (!has_bias(p.epilogue)) {
    if (p.epilogue.bias != nullptr) misuse("a bias for an epilogue that has none");
    return;
  }
  const cudaDataType_t type =
      p.epilogue.bias_type == -1 ? p.c.type : static_cast<cudaDataType_t>(p.epilogue.bias_type);
  fake_cuda::require_device_range(fake_cuda::number_of(p.epilogue.bias),
                                  static_cast<std::size_t>(p.c.rows) * size_of(dtype_of(type)), "bias");
}

void multiply_now(const Product& p, std::int64_t k) {
  const double scale =
      p.scale_a == nullptr ? 1 : static_cast<double>(*p.scale_a) * static_cast<double>(*p.scale_b);
  for (std::int64_t batch = 0; batch < p.batch; ++batch)
    for (std::int64_t i = 0; i < p.c.rows; ++i)
      for (std::int64_t j = 0; j < p.c.columns; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < k; ++l)
          sum += (p.operation_a == CUBLAS_OP_N ? element(p.a, batch, i, l) : element(p.a, batch, l, i)) *
                 (p.operation_b == CUBLAS_OP_N ? element(p.b, batch, l, j) : element(p.b, batch, j, l));
        store(p.c, batch * p.c.batch_step + i + j * p.c.leading, finished(p, sum * scale, i));
      }
}

}  // namespace

State& state() {
  static State state;
  return state;
}

void start(const Simulation& simulation) {
  state().simulation = simulation;
  state().last_call.clear();
}

std::string last_call() {
  return state().last_call;
}

int left_over() {
  return static_cast<int>(state().things.size());
}

bool has_bias(const Epilogue& epilogue) {
  return (epilogue.kind & CUBLASLT_EPILOGUE_BIAS) != 0;
}

cublasStatus_t multiply(const Product& p, CUstream stream) {
  if (state().simulation.multiply_status != 0 && state().simulation.good_products-- <= 0) {
    if (state().simulation.breaks_context)
      fake_cuda::submit(stream, [] { fake_cuda::state().lost = CUDA_ERROR_ILLEGAL_ADDRESS; });
    return static_cast<cublasStatus_t>(state().simulation.multiply_status);
  }
  if (!is_known(p) || !is_known(p.epilogue, p) || !is_readable(p)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (factor(p.alpha, p.scale) != 1 || factor(p.beta, p.scale) != 0) misuse("factors other than 1 and 0");
  const bool plain_a = p.operation_a == CUBLAS_OP_N, plain_b = p.operation_b == CUBLAS_OP_N;
  const std::int64_t k = plain_a ? p.a.columns : p.a.rows;
  if ((plain_b ? p.b.rows : p.b.columns) != k || (plain_a ? p.a.rows : p.a.columns) != p.c.rows ||
      (plain_b ? p.b.columns : p.b.rows) != p.c.columns || p.batch < 1)
    misuse("matrices whose sizes do not fit");
  require_matrix(p.a, p.batch, "A");
  require_matrix(p.b, p.batch, "B");
  require_matrix(p.c, p.batch, "C");
  require_bias(p);
  if (p.a.type == CUDA_R_8F_E4M3) {
    fake_cuda::require_device_range(fake_cuda::number_of(p.scale_a), 4, "A's scale");
    fake_cuda::require_device_range(fake_cuda::number_of(p.scale_b), 4, "B's scale");
  }
  return fake_cuda::submit(stream, [p, k] { multiply_now(p, k); }) == CUDA_SUCCESS
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace kernsweep::testing::fake_cublas
