// A value of an axis, a parameter or an expression: null, boolean, 64-bit integer, float or text.
//
// null means "not set": an inactive axis, or an environment variable that is not changed. It is NULL in the
// database. Integers and floats are different kinds but compare by number (2 == 2.0); booleans are not
// numbers; text is never converted.
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

  bool is_null() const { return std::holds_alternative<Null>(kind_); }
  const bool* boolean() const { return std::get_if<bool>(&kind_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&kind_); }
  const double* real() const { return std::get_if<double>(&kind_); }
  const std::string* text() const { return std::get_if<std::string>(&kind_); }
  // The number of an integer or a float; nothing for other kinds.
  std::optional<double> number() const;

  // "null", "true", "12", "0.5" (shortest text that reads back as the same float; "2.0" for whole floats),
  // text as it is.
  std::string to_text() const;
  void append_text(std::string& out) const;
  // The same with a letter for the kind and length-prefixed text, so that different values have different
  // texts: "n", "b1", "i12", "f0.5", "s3:abc". Job keys are hashes of it.
  void append_canonical(std::string& out) const;
  // "null", "boolean", "integer", "float" or "text".
  std::string_view kind_name() const;

  // Same kind and same content. (2 and 2.0 differ here; expressions compare by number on their own.)
  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<Null, bool, std::int64_t, double, std::string> kind_;
};

// The value that an unquoted scalar of a file or of the command line means: null, true/false, an integer
// (decimal), a float (with a point or an exponent), otherwise text. Nothing else is converted: on, no,
// 12:30 and 0x10 stay text.
Value value_of_scalar(std::string_view scalar);

}  // namespace kernsweep
