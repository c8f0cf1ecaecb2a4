// A value of an axis, a parameter or an expression: null, boolean, 64-bit integer, float or text.
//
// null means "not set": an inactive axis, or an environment variable that is not changed. It is NULL in the
// database. Integers and floats are different kinds but compare by number (2 == 2.0); booleans are not
// numbers; text is never converted.
//
// A number that is passed to a program may keep its spelling (3.10, 007): it computes as the number, its
// text is the spelling, and two spellings of one number are different values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace kernsweep {

struct Null {
  friend bool operator==(Null, Null) { return true; }
};

class Value {
 public:
  Value() = default;
  Value(Null) {}
  Value(bool truth) : kind_(truth) {}
  Value(int number) : kind_(static_cast<std::int64_t>(number)) {}
  Value(std::int64_t number) : kind_(number) {}
  Value(double number) : kind_(number) {}
  Value(std::string text) : kind_(std::move(text)) {}
  Value(std::string_view text) : kind_(std::string(text)) {}
  Value(const char* text) : kind_(std::string(text)) {}

  // Requires a number.
  static Value spelled(const Value& number, std::string word);

  bool is_null() const { return std::holds_alternative<Null>(kind_); }
  const bool* boolean() const { return std::get_if<bool>(&kind_); }
  const std::int64_t* integer() const { return number_as<std::int64_t>(); }
  const double* real() const { return number_as<double>(); }
  const std::string* text() const { return std::get_if<std::string>(&kind_); }
  // The spelling of a number; null if it keeps none.
  const std::string* word() const;
  // The number of an integer or a float; nothing for other kinds.
  std::optional<double> number() const;

  // "null", "true", "12", "0.5" (shortest text that reads back as the same float; "2.0" for whole floats),
  // text and words as they are.
  std::string to_text() const;
  void append_text(std::string& out) const;
  // The text with a letter for the kind, and with length-prefixed words, so that different values have
  // different texts: "n", "b1", "i12", "f0.5", "s3:abc". Job keys are hashes of it. The spelling of a
  // number is ignored.
  void append_canonical(std::string& out) const;
  // The value without its spelling: the number whose text is the spelling, if there is one (the integer 1
  // for 1.0 written as 1), else its number.
  Value without_word() const;
  // "null", "boolean", "integer", "float" or "text".
  std::string_view kind_name() const;

  // Same kind, same content, same spelling. (2 and 2.0 differ here; expressions compare by number on their
  // own.)
  friend bool operator==(const Value&, const Value&) = default;

 private:
  struct Spelled {
    std::variant<std::int64_t, double> number;
    std::string word;
    friend bool operator==(const Spelled&, const Spelled&) = default;
  };
  template <class Number>
  const Number* number_as() const {
    if (const auto* plain = std::get_if<Number>(&kind_)) return plain;
    const auto* with_word = std::get_if<Spelled>(&kind_);
    return with_word != nullptr ? std::get_if<Number>(&with_word->number) : nullptr;
  }

  std::variant<Null, bool, std::int64_t, double, std::string, Spelled> kind_;
};

// Whether both are the same number, exactly: 2^53 + 1 is not the float 2^53.
bool is_same_number(const Value& a, const Value& b);

// A computed float in digits, for the argument of a program: "100000", "0.00001". It keeps its exponent
// where the digits would fill a line or be more than the float has: whole numbers from 2^64 on.
std::string digits_of(double number);

// The value of an unquoted scalar of a file or of the command line: null, true/false, an integer (decimal),
// a float (with a point or an exponent), otherwise text. Nothing else is converted: on, no, 12:30 and 0x10
// stay text, and so does 4e00012, part of a hash: an exponent without a sign has no leading zero. (1e-05,
// as C and Python print it, is a float.)
Value value_of_scalar(std::string_view scalar);

}  // namespace kernsweep
