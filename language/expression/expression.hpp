// Expressions of sweep files: the Python subset that kernel tuners use, with Python's meaning.
//
//   + - * / // % **   == != < <= > >= (chained too)   and or not   in, not in   x if c else y
//   min max abs round log2 ceil_div is_pow2 len
//   [lists]   "text"   12   0.5   true false null   dotted.names
//
// `//` floors, `%` has the sign of the divisor, `/` returns a float, `and`/`or` return one of their
// operands and do not evaluate the second if the first decides. Integers are 64 bits; overflow, division by
// zero and kinds that Python does not combine are errors. Booleans count as 1 and 0, as in Python: `flag ==
// 1` and `(a > 8) + (b > 8) <= 1` have Python's meaning, although a Value's boolean is not a number
// elsewhere. Text and lists have no arithmetic, and a list cannot be a result. Depth and length are
// bounded, no other function can be called, there are no attributes: a dotted name is one name.
// docs/reference/expressions.md has the grammar.
//
// An expression is compiled once and evaluated for millions of points: names are resolved to positions, and
// evaluation never throws and allocates nothing for numbers. Immutable after parse: any thread may
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

  // The names that the expression reads, each once, in order of first use, without functions and words such
  // as "true" and "null".
  const std::vector<std::string>& names() const;
  const std::string& text() const;
  // Whether it is the name of a column and nothing else.
  bool is_name() const { return names().size() == 1 && names().front() == text(); }

  // values[i] is the value of names()[i]; there must be as many as names. Error: the reason, with the
  // column of the operator.
  Result<Value> evaluate(std::span<const Value> values) const;
  // The truth of the result as in Python: null, false, 0, 0.0, "" are false.
  Result<bool> holds(std::span<const Value> values) const;

 private:
  struct Program;
  explicit Expression(std::shared_ptr<const Program> program);
  std::shared_ptr<const Program> program_;
};

}  // namespace kernsweep
