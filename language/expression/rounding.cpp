// round(): the part of arithmetic.hpp that works on decimal digits.
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

#include "language/expression/arithmetic.hpp"

namespace kernsweep::expression {
namespace {

__extension__ using SignedWide = __int128;

// A float has at most 309 digits before the point, and no digit after place 323 that could be rounded.
constexpr std::int64_t kPlacesMost = 323;
constexpr std::int64_t kPlacesFewest = -308;

Fault round_integer(std::int64_t number, std::int64_t digits, Operand& out) {
  if (digits >= 0) {
    out = Operand::make(number);
    return Fault::none;
  }
  if (digits < -19) {  // half of 10**20 is above every 64-bit integer
    out = Operand::make(std::int64_t{0});
    return Fault::none;
  }
  SignedWide unit = 1;
  for (std::int64_t i = digits; i < 0; ++i) unit *= 10;
  const SignedWide size = number < 0 ? -static_cast<SignedWide>(number) : static_cast<SignedWide>(number);
  SignedWide steps = size / unit;
  const SignedWide twice = 2 * (size % unit);
  if (twice > unit || (twice == unit && steps % 2 == 1)) ++steps;
  const SignedWide rounded = number < 0 ? -steps * unit : steps * unit;
  const auto narrow = static_cast<std::int64_t>(rounded);
  if (static_cast<SignedWide>(narrow) != rounded) return Fault::overflow;
  out = Operand::make(narrow);
  return Fault::none;
}

double read_back(const char* begin, const char* end) {
  double number = 0;
  const auto [rest, problem] = std::from_chars(begin, end, number);
  return problem == std::errc() ? number : HUGE_VAL;
}

// `number` is finite and not negative. to_chars prints the exact value, rounded once with halves to even.
double round_places(double number, int places) {
  char digits[720];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed, places).ptr;
  return read_back(digits, end);
}

// The same before the point: `zeros` is 1 for tens, 2 for hundreds and so on.
double round_left(double number, std::size_t zeros) {
  char text[400];
  char* digits = text + 1;  // room for a carry
  const double whole = std::trunc(number);
  char* end = std::to_chars(digits, text + sizeof text, whole, std::chars_format::fixed, 0).ptr;
  const auto length = static_cast<std::size_t>(end - digits);
  if (zeros > length) return 0;
  char* cut = end - zeros;
  *text = '0';
  const char kept = *(cut - 1);
  const std::string_view tail(cut, zeros);
  const bool rest = whole != number || tail.find_first_not_of('0', 1) != std::string_view::npos;
  const bool up = *cut > '5' || (*cut == '5' && (rest || (kept - '0') % 2 == 1));
  std::memset(cut, '0', zeros);
  if (up) {
    char* digit = cut - 1;
    for (; *digit == '9'; --digit) *digit = '0';
    ++*digit;
  }
  return read_back(text, end);
}

}  // namespace

Fault round_whole(const Operand& operand, Operand& out) {
  if (!operand.is_number()) return Fault::not_numbers;
  if (operand.is_whole()) return affirm(operand, out);
  if (!std::isfinite(operand.real)) return Fault::not_finite;
  // Not nearbyint(), which rounds halves by the thread's rounding mode.
  const double whole = std::trunc(operand.real);
  const double half = std::fabs(operand.real - whole);
  const bool away = half > 0.5 || (half == 0.5 && std::fmod(whole, 2) != 0);
  const double nearest = away ? whole + std::copysign(1.0, operand.real) : whole;
  if (nearest < -9223372036854775808.0 || nearest >= 9223372036854775808.0) return Fault::overflow;
  out = Operand::make(static_cast<std::int64_t>(nearest));
  return Fault::none;
}

Fault round_digits(const Operand& operand, const Operand& digits, Operand& out) {
  if (!operand.is_number()) return Fault::not_numbers;
  if (digits.kind == Kind::null) return round_whole(operand, out);
  if (!digits.is_whole()) return Fault::not_digits;
  const std::int64_t places = digits.whole();
  if (operand.is_whole()) return round_integer(operand.whole(), places, out);
  if (!std::isfinite(operand.real) || operand.real == 0 || places > kPlacesMost) {
    out = operand;
    return Fault::none;
  }
  const double size = std::fabs(operand.real);
  double rounded = 0;
  if (places >= 0) {
    rounded = round_places(size, static_cast<int>(places));
  } else if (places >= kPlacesFewest) {
    rounded = round_left(size, static_cast<std::size_t>(-places));
  }
  if (std::isinf(rounded)) return Fault::float_range;
  out = Operand::make(std::copysign(rounded, operand.real));
  return Fault::none;
}

}  // namespace kernsweep::expression
