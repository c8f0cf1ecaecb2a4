// Expressions of sweep files: the Python subset that kernel tuners use, with Python's meaning.
//
//   + - * / // % **   == != < <= > >= (chained too)   and or not   in, not in   x if c else y
//   min max abs round log2 ceil_div is_pow2 len
//   [lists]   "text"   12   0.5   true false null   dotted.names
//
// `//` floors, `%` has the sign of the divisor, `/` gives a float, `and`/`or` give one of their operands
// and stop early. Integers are 64 bits; overflow, division by zero and mixing kinds that Python would not
// mix are errors. Booleans count as 1 and 0, as in Python: `flag == 1` and `(a > 8) + (b > 8) <= 1` mean
// what they do there, although a Value's boolean is no number elsewhere. Text and lists have no arithmetic,
// and a list cannot be a result. Depth and length are bounded, nothing else can be called, there are no
// attributes: a dotted name is one name. docs/reference/expressions.md has the grammar.
//
// An expression is compiled once and evaluated for millions of points: names are resolved to positions,
// evaluation allocates nothing for numbers and never throws. Immutable after parse: any thread may
// evaluate.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

class Expression {
 public:
  // Error: "column 7: expected a value, found ')'" (columns count characters from 1).
  static Result<Expression> parse(std::string_view text);

  // The names that the expression reads, each once, in order of first use. "true", "null" and functions are
  // none.
  const std::vector<std::string>& names() const;
  const std::string& text() const;

  // values[i] is the value of names()[i], and there are as many as names. Error: what went wrong, with the
  // column of the operator.
  Result<Value> evaluate(std::span<const Value> values) const;
  // The same, and Python's truth of the result: null, false, 0, 0.0, "" are false.
  Result<bool> holds(std::span<const Value> values) const;

 private:
  struct Program;
  explicit Expression(std::shared_ptr<const Program> program);
  std::shared_ptr<const Program> program_;
};

}  // namespace kernsweep
