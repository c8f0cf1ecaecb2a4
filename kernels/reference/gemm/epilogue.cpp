#include "kernels/reference/gemm/epilogue.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep {
namespace {

struct Named {
  std::string_view name;
  Epilogue epilogue;
};

constexpr Named kEpilogues[] = {
    {"none", {false, Activation::none}}, {"bias", {true, Activation::none}},
    {"relu", {false, Activation::relu}}, {"bias_relu", {true, Activation::relu}},
    {"gelu", {false, Activation::gelu}}, {"bias_gelu", {true, Activation::gelu}},
};

double activated(Activation activation, double x) {
  constexpr double kRootOf2OverPi = 0.79788456080286535588;
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0 ? 0 : x;  // a NaN stays NaN
    case Activation::gelu:
      return x / 2 * (1 + std::tanh(kRootOf2OverPi * (x + 0.044715 * x * x * x)));
  }
  return x;
}

// Sums of s8 fit s32. With a bias from a file they may not fit, and are limited to its range.
double within(Dtype bias_dtype, double x) {
  return bias_dtype == Dtype::s32 ? std::clamp(x, -0x1p31, 0x1p31 - 1) : x;
}

}  // namespace

Epilogue epilogue_named(std::string_view name) {
  for (const Named& each : kEpilogues)
    if (each.name == name) return each.epilogue;
  return {};
}

std::string_view name_of(const Epilogue& epilogue) {
  for (const Named& each : kEpilogues)
    if (each.epilogue.has_bias == epilogue.has_bias && each.epilogue.activation == epilogue.activation)
      return each.name;
  return "unknown";
}

void finish_sums(const Epilogue& epilogue, Dtype bias_dtype, const void* bias, const SumBlock& block) {
  for (std::int64_t column = 0; column < block.columns; ++column) {
    const double added =
        epilogue.has_bias ? element_as_double(bias_dtype, bias, block.first_column + column) : 0;
    for (std::int64_t row = 0; row < block.rows; ++row) {
      double& sum = block.sums[row * block.stride + column];
      sum = within(bias_dtype, activated(epilogue.activation, sum + added));
    }
  }
}

}  // namespace kernsweep
