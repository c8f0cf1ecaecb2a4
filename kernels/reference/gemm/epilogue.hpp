// The epilogue of a product, applied to each sum: C = act(op(A) op(B) + bias), as libraries fuse it.
//
// The bias is one number for each column of C, the same for all rows and batches. relu(x) is x, or 0 below
// 0. gelu(x) is x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel, "Gaussian Error
// Linear Units (GELUs)", 2016, section 2), as in cuBLASLt and oneDNN's eltwise_gelu_tanh; the definition by
// erf differs by at most 0.0005.
#pragma once

#include <cstdint>
#include <string_view>

#include "shared/base/dtype.hpp"

namespace kernsweep {

enum class Activation { none, relu, gelu };

struct Epilogue {
  bool has_bias = false;
  Activation activation = Activation::none;

  bool is_none() const { return !has_bias && activation == Activation::none; }
};

// All names, as choices of a parameter.
inline constexpr char kEpilogueNames[] = "none|bias|relu|bias_relu|gelu|bias_gelu";

// Requires one of kEpilogueNames.
Epilogue epilogue_named(std::string_view name);
std::string_view name_of(const Epilogue& epilogue);

// A block of sums of C: rows x columns, rows `stride` apart.
struct SumBlock {
  double* sums;
  std::int64_t rows, columns, stride;
  std::int64_t first_column;  // the column of C of the first sum
};

// Replaces each sum by the result of the epilogue. `bias` has a number for every column of C; it is not
// read if the epilogue has none. Sums of whole numbers (a bias of s32) are limited to the range of s32.
void finish_sums(const Epilogue& epilogue, Dtype bias_dtype, const void* bias, const SumBlock& block);

}  // namespace kernsweep
