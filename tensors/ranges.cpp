#include "tensors/ranges.hpp"

#include <cmath>
#include <limits>

#include "shared/base/result.hpp"

namespace kernsweep {
namespace {

// The next smaller number, in a format whose bit patterns without the sign ascend with the magnitude.
template <class Bits, double (*Value)(Bits)>
double next_below(Bits bits) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  if ((bits & kSign) != 0) return Value(static_cast<Bits>(bits + 1));
  if (bits == 0) return Value(static_cast<Bits>(kSign | 1));
  return Value(static_cast<Bits>(bits - 1));
}

double value_of_bf16(std::uint16_t bits) {
  return static_cast<double>(float_of_bf16(bits));
}
double value_of_f16(std::uint16_t bits) {
  return static_cast<double>(float_of_f16(bits));
}
double value_of_f8e4m3(std::uint8_t bits) {
  return static_cast<double>(float_of_f8e4m3(bits));
}
double value_of_f8e5m2(std::uint8_t bits) {
  return static_cast<double>(float_of_f8e5m2(bits));
}

double nearest(Dtype dtype, double x) {
  switch (dtype) {
    case Dtype::f32:
      return static_cast<double>(static_cast<float>(x));
    case Dtype::bf16:
      return value_of_bf16(bf16_of(x));
    case Dtype::f16:
      return value_of_f16(f16_of(x));
    case Dtype::f8e4m3:
      return value_of_f8e4m3(f8e4m3_of(x));
    case Dtype::f8e5m2:
      return value_of_f8e5m2(f8e5m2_of(x));
    default:
      return x;
  }
}

// Requires: x is a number of the type.
double neighbour_below(Dtype dtype, double x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (dtype) {
    case Dtype::f32:
      return static_cast<double>(std::nextafterf(static_cast<float>(x), -HUGE_VALF));
    case Dtype::bf16:
      return next_below<std::uint16_t, value_of_bf16>(bf16_of(x));
    case Dtype::f16:
      return next_below<std::uint16_t, value_of_f16>(f16_of(x));
    case Dtype::f8e4m3:
      return next_below<std::uint8_t, value_of_f8e4m3>(f8e4m3_of(x));
    case Dtype::f8e5m2:
      return next_below<std::uint8_t, value_of_f8e5m2>(f8e5m2_of(x));
    default:
      return std::nextafter(x, -kInfinity);
  }
}

}  // namespace

double largest_finite(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return std::numeric_limits<double>::max();
    case Dtype::f32:
      return static_cast<double>(std::numeric_limits<float>::max());
    case Dtype::bf16:
      return value_of_bf16(0x7f7f);
    case Dtype::f16:
      return 65504.0;
    case Dtype::f8e4m3:
      return 448.0;
    case Dtype::f8e5m2:
      return 57344.0;
    default:
      return exact_integers(dtype).highest;
  }
}

IntegerRange exact_integers(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return {-0x1p24, 0x1p24};
    case Dtype::bf16:
      return {-0x1p8, 0x1p8};
    case Dtype::f16:
      return {-0x1p11, 0x1p11};
    case Dtype::f8e4m3:
      return {-0x1p4, 0x1p4};
    case Dtype::f8e5m2:
      return {-0x1p3, 0x1p3};
    case Dtype::s8:
      return {-128, 127};
    case Dtype::u8:
      return {0, 255};
    case Dtype::s32:
      return {-0x1p31, 0x1p31 - 1};
    case Dtype::f64:
    case Dtype::s64:
      break;
  }
  return {-0x1p53, 0x1p53};
}

double largest_below(Dtype dtype, double x) {
  KS_ASSERT(is_float(dtype));
  const double near = nearest(dtype, x);
  return near < x ? near : neighbour_below(dtype, near);
}

double smallest_from(Dtype dtype, double x) {
  KS_ASSERT(is_float(dtype));
  // By symmetry: the smallest number >= x is minus the largest <= -x.
  const double near = nearest(dtype, -x);
  return near <= -x ? -near : -neighbour_below(dtype, near);
}

}  // namespace kernsweep
