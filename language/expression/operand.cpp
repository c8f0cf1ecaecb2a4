#include "language/expression/operand.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep::expression {
namespace {

template <class Number>
Order order_of_same(Number left, Number right) {
  if (left < right) return Order::less;
  if (left > right) return Order::greater;
  return left == right ? Order::equal : Order::unordered;
}

Order reversed(Order order) {
  if (order == Order::less) return Order::greater;
  if (order == Order::greater) return Order::less;
  return order;
}

// Compares without converting the integer to a float, which would lose bits above 2**53.
Order order_of_mixed(std::int64_t left, double right) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (std::isnan(right)) return Order::unordered;
  if (right >= kTwoTo63) return Order::less;
  if (right < -kTwoTo63) return Order::greater;
  const double whole = std::trunc(right);
  const Order order = order_of_same(left, static_cast<std::int64_t>(whole));
  return order == Order::equal ? order_of_same(whole, right) : order;
}

Order order_of_numbers(const Operand& left, const Operand& right) {
  if (left.is_whole()) {
    if (right.is_whole()) return order_of_same(left.whole(), right.whole());
    return order_of_mixed(left.whole(), right.real);
  }
  if (right.is_whole()) return reversed(order_of_mixed(right.whole(), left.real));
  return order_of_same(left.real, right.real);
}

bool is_spelled(const Operand& number, std::string_view text) {
  return number.word != nullptr && *number.word == text;
}

Fault order_of_lists(const Operand& left, const Operand& right, Order& out) {
  const std::uint64_t common = std::min(left.size, right.size);
  for (std::uint64_t i = 0; i < common; ++i) {
    if (!are_equal(left.items[i], right.items[i])) return order_of(left.items[i], right.items[i], out);
  }
  out = order_of_same(left.size, right.size);
  return Fault::none;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::string_view kNames[] = {"null", "boolean", "integer", "float", "text", "list"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_true(const Operand& operand) {
  switch (operand.kind) {
    case Kind::null:
      return false;
    case Kind::boolean:
      return operand.truth;
    case Kind::integer:
      return operand.integer != 0;
    case Kind::real:
      return operand.real != 0;
    case Kind::text:
    case Kind::list:
      return operand.size != 0;
  }
  return false;
}

bool are_equal(const Operand& left, const Operand& right) {
  if (left.kind == Kind::text && right.kind == Kind::text) return left.text() == right.text();
  if (left.is_number() && right.is_number()) return order_of_numbers(left, right) == Order::equal;
  if (left.kind == Kind::text && right.is_number()) return is_spelled(right, left.text());
  if (right.kind == Kind::text && left.is_number()) return is_spelled(left, right.text());
  if (left.kind != right.kind) return false;
  if (left.kind == Kind::null) return true;
  return std::equal(left.items, left.items + left.size, right.items, right.items + right.size, are_equal);
}

Fault order_of(const Operand& left, const Operand& right, Order& out) {
  if (left.is_number() && right.is_number()) {
    out = order_of_numbers(left, right);
    return Fault::none;
  }
  if (left.kind == Kind::text && right.kind == Kind::text) {
    // Bytes of UTF-8 sort as their code points do.
    const int sign = left.text().compare(right.text());
    out = sign < 0 ? Order::less : sign > 0 ? Order::greater : Order::equal;
    return Fault::none;
  }
  if (left.kind == Kind::list && right.kind == Kind::list) return order_of_lists(left, right, out);
  return Fault::no_order;
}

Fault contains(const Operand& haystack, const Operand& needle, bool& out) {
  if (haystack.kind == Kind::list) {
    const auto* end = haystack.items + haystack.size;
    out = std::any_of(haystack.items, end, [&](const Operand& item) { return are_equal(item, needle); });
    return Fault::none;
  }
  if (haystack.kind != Kind::text) return Fault::no_container;
  if (needle.kind != Kind::text) return Fault::no_text_sought;
  out = haystack.text().find(needle.text()) != std::string_view::npos;
  return Fault::none;
}

}  // namespace kernsweep::expression
