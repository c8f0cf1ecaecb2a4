// The values during the evaluation of an expression, and their comparison as in Python.
//
// An Operand is a view: text points into the caller's Value or into the compiled code, a list points to
// operands in the code or in the workspace of the evaluation. It owns nothing, is cheap to copy, and is
// valid only during the evaluation that made it. No constructor: workspaces stay uninitialised.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "shared/base/value.hpp"

namespace kernsweep::expression {

enum class Kind : std::uint8_t { null, boolean, integer, real, text, list };

// "null", "boolean", "integer", "float", "text", "list".
std::string_view kind_name(Kind kind);

struct Operand {
  Kind kind;
  union {
    std::uint64_t size;       // bytes of a text, items of a list
    const std::string* word;  // of a number: its spelling; null if it keeps none
  };
  union {
    bool truth;
    std::int64_t integer;
    double real;
    const char* chars;
    const Operand* items;
  };

  static Operand make_null();
  static Operand make(bool truth);
  static Operand make(std::int64_t integer);
  static Operand make(double real);
  static Operand make(std::string_view text);
  static Operand make_list(const Operand* items, std::uint64_t size);
  // In an axis with fractions, a whole number beyond 2^53 is rounded, and is used as written.
  static Operand view(const Value& value);

  std::string_view text() const { return {chars, size}; }
  // Booleans are numbers: as in Python, the integers 1 and 0.
  bool is_number() const { return kind == Kind::boolean || kind == Kind::integer || kind == Kind::real; }
  bool is_whole() const { return kind == Kind::boolean || kind == Kind::integer; }
  std::int64_t whole() const {
    return kind == Kind::boolean ? (truth ? 1 : 0) : integer;
  }  // requires is_whole()
  double floating() const {
    return kind == Kind::real ? real : static_cast<double>(whole());
  }  // requires is_number()
};

inline Operand Operand::make_null() {
  Operand operand;
  operand.kind = Kind::null;
  operand.word = nullptr;
  operand.integer = 0;
  return operand;
}

inline Operand Operand::make(bool truth) {
  Operand operand = make_null();
  operand.kind = Kind::boolean;
  operand.truth = truth;
  return operand;
}

inline Operand Operand::make(std::int64_t integer) {
  Operand operand = make_null();
  operand.kind = Kind::integer;
  operand.integer = integer;
  return operand;
}

inline Operand Operand::make(double real) {
  Operand operand = make_null();
  operand.kind = Kind::real;
  operand.real = real;
  return operand;
}

inline Operand Operand::make(std::string_view text) {
  Operand operand;
  operand.kind = Kind::text;
  operand.size = text.size();
  operand.chars = text.data();
  return operand;
}

inline Operand Operand::make_list(const Operand* items, std::uint64_t size) {
  Operand operand;
  operand.kind = Kind::list;
  operand.size = size;
  operand.items = items;
  return operand;
}

inline Operand Operand::view(const Value& value) {
  if (const auto* text = value.text()) return make(std::string_view(*text));
  const std::string* const word = value.word();
  const auto spelled = [word](Operand number) {
    number.word = word;
    return number;
  };
  if (const auto* integer = value.integer()) return spelled(make(*integer));
  if (const auto* real = value.real()) {
    constexpr double kExact = 9007199254740992.0;
    std::int64_t whole = 0;
    if (word != nullptr && (*real > kExact || *real < -kExact) &&
        std::from_chars(word->data(), word->data() + word->size(), whole).ptr ==
            word->data() + word->size())
      return spelled(make(whole));
    return spelled(make(*real));
  }
  if (const auto* truth = value.boolean()) return make(*truth);
  return make_null();
}

// Why an operation has no result. The messages are in machine.cpp.
enum class Fault : std::uint8_t {
  none,
  not_numbers,     // arithmetic on null, text or lists
  overflow,        // the result does not fit into 64 bits
  float_range,     // the result is beyond the largest float
  by_zero,         // division, remainder, or zero to a negative power
  not_real,        // a fractional power of a negative number
  logarithm,       // of a number that is not above zero
  not_finite,      // round() of inf or nan
  not_digits,      // the second argument of round()
  no_order,        // < <= > >= min max between kinds that have none
  no_container,    // in: the right side is neither text nor list
  no_text_sought,  // in: only text can be in a text
  no_length,       // len() of a value that is neither text nor list
  no_list,         // min, max with one argument that is no list
  empty_list,      // min, max
  list_result,     // the result of an expression is a list
};

// Python's truth: null, false, 0, 0.0, "" and [] are false.
bool is_true(const Operand& operand);
// Python's ==: numbers are compared by exact value (2**53 + 1 differs from the float 2.0**53), different
// kinds are unequal. But a text is equal to a number that keeps this spelling.
bool are_equal(const Operand& left, const Operand& right);

enum class Order : std::uint8_t { less, equal, greater, unordered };  // unordered: a nan is involved

// Orders numbers with numbers, text with text (by code point), lists with lists (item by item); otherwise
// returns Fault::no_order.
Fault order_of(const Operand& left, const Operand& right, Order& out);
// Python's `needle in haystack`.
Fault contains(const Operand& haystack, const Operand& needle, bool& out);

}  // namespace kernsweep::expression
