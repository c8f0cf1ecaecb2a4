#include "language/expression/arithmetic.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "shared/text/number_text.hpp"

namespace kernsweep::expression {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

Fault give(std::int64_t integer, Operand& out) {
  out = Operand::make(integer);
  return Fault::none;
}

Fault give(double real, Operand& out) {
  out = Operand::make(real);
  return Fault::none;
}

bool are_numbers(const Operand& left, const Operand& right) {
  return left.is_number() && right.is_number();
}
bool are_whole(const Operand& left, const Operand& right) {
  return left.is_whole() && right.is_whole();
}

std::uint64_t magnitude(std::int64_t number) {
  return number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
}

// The float nearest to left / right, right != 0. Integers up to 2**53 are exact floats, and one division of
// floats rounds once. Larger ones are divided as integers to at least 56 bits; if there is a remainder, the
// last bit is set, so that only the conversion of these bits to a float rounds.
double exact_quotient(std::int64_t left, std::int64_t right) {
  constexpr auto kExact = static_cast<std::uint64_t>(kWholeDoubleMax);
  const std::uint64_t a = magnitude(left);
  const std::uint64_t b = magnitude(right);
  if (a <= kExact && b <= kExact) return static_cast<double>(left) / static_cast<double>(right);
  if (a == 0) return right < 0 ? -0.0 : 0.0;
  const int missing = 56 + static_cast<int>(std::bit_width(b)) - static_cast<int>(std::bit_width(a));
  const int shift = missing > 0 ? missing : 0;
  const Wide dividend = static_cast<Wide>(a) << shift;
  std::uint64_t quotient = static_cast<std::uint64_t>(dividend / b);
  if (dividend % b != 0) quotient |= 1;
  const double size = std::ldexp(static_cast<double>(quotient), -shift);
  return (left < 0) != (right < 0) ? -size : size;
}

// Python's % of floats: the remainder of the truncated division, moved to the sign of the divisor.
double floored_remainder(double left, double right) {
  const double rest = std::fmod(left, right);
  if (rest == 0) return std::copysign(0.0, right);
  return (rest < 0) != (right < 0) ? rest + right : rest;
}

// Python's // of floats: (left - remainder) / right is a whole number except for rounding, which the last
// lines correct.
double floored_quotient(double left, double right) {
  const double rest = std::fmod(left, right);
  double quotient = (left - rest) / right;
  if (rest != 0 && (rest < 0) != (right < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

Fault whole_power(std::int64_t base, std::int64_t exponent, Operand& out) {
  std::int64_t result = 1;
  for (;;) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return Fault::overflow;
    exponent >>= 1;
    if (exponent == 0) return give(result, out);
    // A later factor needs this square, so if it overflows, the result does too.
    if (__builtin_mul_overflow(base, base, &base)) return Fault::overflow;
  }
}

Fault float_power(double base, double exponent, Operand& out) {
  if (std::isfinite(base) && std::isfinite(exponent)) {
    if (base == 0 && exponent < 0) return Fault::by_zero;
    if (base < 0 && exponent != std::floor(exponent)) return Fault::not_real;
    const double result = std::pow(base, exponent);
    return std::isinf(result) ? Fault::float_range : give(result, out);
  }
  return give(std::pow(base, exponent), out);
}

}  // namespace

Fault add(const Operand& left, const Operand& right, Operand& out) {
  if (!are_numbers(left, right)) return Fault::not_numbers;
  if (!are_whole(left, right)) return give(left.floating() + right.floating(), out);
  std::int64_t sum = 0;
  return __builtin_add_overflow(left.whole(), right.whole(), &sum) ? Fault::overflow : give(sum, out);
}

Fault subtract(const Operand& left, const Operand& right, Operand& out) {
  if (!are_numbers(left, right)) return Fault::not_numbers;
  if (!are_whole(left, right)) return give(left.floating() - right.floating(), out);
  std::int64_t difference = 0;
  return __builtin_sub_overflow(left.whole(), right.whole(), &difference) ? Fault::overflow
                                                                          : give(difference, out);
}

Fault multiply(const Operand& left, const Operand& right, Operand& out) {
  if (!are_numbers(left, right)) return Fault::not_numbers;
  if (!are_whole(left, right)) return give(left.floating() * right.floating(), out);
  std::int64_t product = 0;
  return __builtin_mul_overflow(left.whole(), right.whole(), &product) ? Fault::overflow
                                                                       : give(product, out);
}

Fault divide(const Operand& left, const Operand& right, Operand& out) {
  if (!are_numbers(left, right)) return Fault::not_numbers;
  if (right.floating() == 0) return Fault::by_zero;
  if (are_whole(left, right)) return give(exact_quotient(left.whole(), right.whole()), out);
  return give(left.floating() / right.floating(), out);
}

Fault floor_divide(const Operand& left, const Operand& right, Operand& out) {
  if (!are_numbers(left, right)) return Fault::not_numbers;
  if (right.floating() == 0) return Fault::by_zero;
  if (!are_whole(left, right)) return give(floored_quotient(left.floating(), right.floating()), out);
  const std::int64_t a = left.whole();
  const std::int64_t b = right.whole();
  if (a == kLowest && b == -1) return Fault::overflow;
  return give(a % b != 0 && (a < 0) != (b < 0) ? a / b - 1 : a / b, out);
}

Fault remainder(const Operand& left, const Operand& right, Operand& out) {
  if (!are_numbers(left, right)) return Fault::not_numbers;
  if (right.floating() == 0) return Fault::by_zero;
  if (!are_whole(left, right)) return give(floored_remainder(left.floating(), right.floating()), out);
  const std::int64_t b = right.whole();
  if (b == -1) return give(std::int64_t{0}, out);  // the lowest integer % -1 traps in hardware
  const std::int64_t rest = left.whole() % b;
  return give(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest, out);
}

Fault power(const Operand& base, const Operand& exponent, Operand& out) {
  if (!are_numbers(base, exponent)) return Fault::not_numbers;
  if (are_whole(base, exponent) && exponent.whole() >= 0)
    return whole_power(base.whole(), exponent.whole(), out);
  return float_power(base.floating(), exponent.floating(), out);
}

Fault negate(const Operand& operand, Operand& out) {
  if (!operand.is_number()) return Fault::not_numbers;
  if (!operand.is_whole()) return give(-operand.real, out);
  return operand.whole() == kLowest ? Fault::overflow : give(-operand.whole(), out);
}

Fault affirm(const Operand& operand, Operand& out) {
  if (!operand.is_number()) return Fault::not_numbers;
  return operand.is_whole() ? give(operand.whole(), out) : give(operand.real, out);
}

Fault absolute(const Operand& operand, Operand& out) {
  if (!operand.is_number()) return Fault::not_numbers;
  if (!operand.is_whole()) return give(std::fabs(operand.real), out);
  return operand.whole() < 0 ? negate(operand, out) : affirm(operand, out);
}

Fault log2_of(const Operand& operand, Operand& out) {
  if (!operand.is_number()) return Fault::not_numbers;
  if (operand.floating() <= 0) return Fault::logarithm;
  return give(std::log2(operand.floating()), out);
}

Fault ceil_divide(const Operand& left, const Operand& right, Operand& out) {
  if (!are_numbers(left, right)) return Fault::not_numbers;
  if (right.floating() == 0) return Fault::by_zero;
  if (!are_whole(left, right)) {
    // Negating the integer 0 gives 0, not -0.0.
    const double negated = left.is_whole() ? 0 - left.floating() : -left.floating();
    return give(-floored_quotient(negated, right.floating()), out);
  }
  const std::int64_t a = left.whole();
  const std::int64_t b = right.whole();
  if (a == kLowest && b == -1) return Fault::overflow;
  return give(a % b != 0 && (a < 0) == (b < 0) ? a / b + 1 : a / b, out);
}

Fault is_power_of_two(const Operand& operand, Operand& out) {
  if (!operand.is_number()) return Fault::not_numbers;
  bool answer = false;
  if (operand.is_whole()) {
    answer = operand.whole() > 0 && std::has_single_bit(static_cast<std::uint64_t>(operand.whole()));
  } else if (std::isfinite(operand.real) && operand.real >= 1) {
    int exponent = 0;
    answer = std::frexp(operand.real, &exponent) == 0.5;
  }
  out = Operand::make(answer);
  return Fault::none;
}

}  // namespace kernsweep::expression
