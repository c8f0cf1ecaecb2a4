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

void append_integer(std::string& out, std::int64_t number) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

}  // namespace

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
  } else {
    out += integer() ? 'i' : 'f';
    append_text(out);
  }
}

std::string_view Value::kind_name() const {
  constexpr std::string_view names[] = {"null", "boolean", "integer", "float", "text"};
  return names[kind_.index()];
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
  if (const auto r = std::from_chars(first, end, real); !all_digits && r.ec == std::errc() && r.ptr == end)
    return real;
  return scalar;
}

}  // namespace kernsweep
