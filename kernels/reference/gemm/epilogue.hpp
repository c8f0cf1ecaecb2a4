// What follows the sum of each element of a product: C = act(op(A) op(B) + bias), as libraries fuse it.
//
// The bias is one number for each column of C, the same for all rows and batches. relu(x) is x, or 0 below
// 0. gelu(x) is x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel, "Gaussian Error
// Linear Units (GELUs)", 2016, section 2), which cuBLASLt and oneDNN's eltwise_gelu_tanh have, not the one
// by erf, which it is at most 0.0005 away from.
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

// The names of all, as a parameter's choices.
inline constexpr char kEpilogueNames[] = "none|bias|relu|bias_relu|gelu|bias_gelu";

// Requires one of kEpilogueNames.
Epilogue epilogue_named(std::string_view name);
std::string_view name_of(const Epilogue& epilogue);

// Sums of neighbouring elements of C: rows x columns, rows `stride` apart.
struct SumBlock {
  double* sums;
  std::int64_t rows, columns, stride;
  std::int64_t first_column;  // the column of C that the first of them belongs to
};

// Makes of each sum what the element will be. `bias` has a number for every column of C; it is not read
// when the epilogue has none. Sums of whole numbers (a bias of s32) stop at the ends of s32.
void finish_sums(const Epilogue& epilogue, Dtype bias_dtype, const void* bias, const SumBlock& block);

}  // namespace kernsweep
