#include "shared/base/value.hpp"

#include <charconv>
#include <cmath>

namespace kernsweep {
namespace {

void append_real(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "nan";
    return;
  }
  if (std::isinf(number)) {
    out += number > 0 ? "inf" : "-inf";
    return;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

// Whether an exponent without a sign begins with a zero that other digits follow.
bool has_padded_exponent(std::string_view scalar) {
  const auto e = scalar.find_first_of("eE");
  return e != std::string_view::npos && e + 2 < scalar.size() && scalar[e + 1] == '0';
}

void append_integer(std::string& out, std::int64_t number) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

}  // namespace

Value Value::spelled(const Value& number, std::string word) {
  Value out;
  if (const auto* whole = number.integer()) {
    out.kind_ = Spelled{*whole, std::move(word)};
  } else {
    out.kind_ = Spelled{*number.real(), std::move(word)};
  }
  return out;
}

const std::string* Value::word() const {
  const auto* with_word = std::get_if<Spelled>(&kind_);
  return with_word != nullptr ? &with_word->word : nullptr;
}

Value Value::without_word() const {
  const std::string* written = word();
  if (written == nullptr) return *this;
  if (Value plain = value_of_scalar(*written); plain.number() == number() && plain.to_text() == *written)
    return plain;
  return integer() != nullptr ? Value(*integer()) : Value(*real());
}

bool is_same_number(const Value& a, const Value& b) {
  const auto exact = [](const Value& value) {  // 64 bits
    return value.integer() != nullptr ? static_cast<long double>(*value.integer())
                                      : static_cast<long double>(value.number().value_or(NAN));
  };
  return exact(a) == exact(b);
}

std::string digits_of(double number) {
  constexpr std::ptrdiff_t kDigitsMost = 40;
  constexpr std::size_t kExactDigits = 17;  // a float has no more significant digits
  constexpr double kTwoTo64 = 18446744073709551616.0;
  std::string out;
  append_real(out, number);
  if (!std::isfinite(number)) return out;
  char buffer[1100];  // the longest float has 1077 characters
  const bool whole = std::trunc(number) == number;
  if (number == 0) return "0";
  if (!whole && out.find('e') == std::string::npos) return out;
  const auto written =
      whole ? std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed, 0)
            : std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed);
  const std::string_view digits(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const bool exact = !whole || std::abs(number) < kTwoTo64 || digits.find_last_not_of('0') < kExactDigits;
  if (exact && written.ptr - buffer <= kDigitsMost) out = digits;
  return out;
}

std::optional<double> Value::number() const {
  if (const auto* i = integer()) return static_cast<double>(*i);
  if (const auto* f = real()) return *f;
  return std::nullopt;
}

void Value::append_text(std::string& out) const {
  if (is_null()) {
    out += "null";
  } else if (const auto* b = boolean()) {
    out += *b ? "true" : "false";
  } else if (const std::string* written = word()) {
    out += *written;
  } else if (const auto* i = integer()) {
    append_integer(out, *i);
  } else if (const auto* f = real()) {
    append_real(out, *f);
  } else {
    out += *text();
  }
}

std::string Value::to_text() const {
  std::string out;
  append_text(out);
  return out;
}

void Value::append_canonical(std::string& out) const {
  if (is_null()) {
    out += 'n';
  } else if (const auto* b = boolean()) {
    out += *b ? "b1" : "b0";
  } else if (const auto* t = text()) {
    out += 's';
    append_integer(out, static_cast<std::int64_t>(t->size()));
    out += ':';
    out += *t;
  } else if (const auto* i = integer()) {
    out += 'i';
    append_integer(out, *i);
  } else {
    out += 'f';
    append_real(out, *real());
  }
}

std::string_view Value::kind_name() const {
  if (integer() != nullptr) return "integer";
  if (real() != nullptr) return "float";
  return is_null() ? "null" : boolean() != nullptr ? "boolean" : "text";
}

Value value_of_scalar(std::string_view scalar) {
  if (scalar.empty() || scalar == "null" || scalar == "~") return Null{};
  if (scalar == "true") return true;
  if (scalar == "false") return false;
  const char* begin = scalar.data();
  const char* end = begin + scalar.size();
  const char* digits = (*begin == '+' || *begin == '-') ? begin + 1 : begin;
  if (digits == end || !((*digits >= '0' && *digits <= '9') || *digits == '.')) return scalar;
  const char* first = *begin == '+' ? begin + 1 : begin;
  std::int64_t integer = 0;
  if (const auto r = std::from_chars(first, end, integer); r.ec == std::errc() && r.ptr == end)
    return integer;
  const bool all_digits = scalar.find_first_not_of("+-0123456789") == std::string_view::npos;
  double real = 0;
  if (has_padded_exponent(scalar)) return scalar;
  if (const auto r = std::from_chars(first, end, real); !all_digits && r.ec == std::errc() && r.ptr == end)
    return real;
  return scalar;
}

}  // namespace kernsweep
