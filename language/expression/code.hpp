// A compiled expression: instructions for a machine with one stack of operands.
//
// A jump counts instructions from the one after it, so that a piece of code can be moved as a whole (the
// parser moves it for `x if c else y`). `column` is the position of the operator in the text, for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "language/expression/operand.hpp"

namespace kernsweep::expression {

enum class Op : std::uint8_t {
  // Push one operand.
  push_constant,  // constants[argument]
  push_list,      // a list of `count` constants from constants[argument]
  push_name,      // the value of names[argument]
  make_list,      // pops `count` operands, pushes a list of them at `argument` in the list area
  // Jumps skip `argument` instructions.
  jump,
  jump_if_false,       // pops the condition
  jump_if_false_keep,  // `and`: jumps and keeps the operand, or pops it
  jump_if_true_keep,   // `or`
  chain,  // a < b < c: compares by Op(count); false: jumps with false, true: keeps the right operand
  // Comparisons: two operands to a boolean.
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,
  // Two operands to one.
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  remainder,
  power,
  minimum,
  maximum,
  ceil_div,
  round_digits,
  // One operand to one.
  logical_not,
  negate,
  affirm,
  absolute,
  round_whole,
  log2,
  is_pow2,
  length,
  minimum_of,  // of a list
  maximum_of,
};

// The operation in the syntax of expressions: "<=", "not in", "ceil_div".
std::string_view spelling(Op op);

struct Instruction {
  Op op;
  std::uint16_t column = 0;
  std::uint32_t count = 0;
  std::int32_t argument = 0;
};

// Immutable and not movable once compiled, because operands point into `letters` and `constants`.
struct Code {
  std::string text;
  std::vector<std::string> names;
  std::vector<Instruction> instructions;
  std::vector<Operand> constants;
  std::string letters;         // storage of the text constants
  std::size_t stack_most = 0;  // operands
  std::size_t list_area = 0;   // operands of all lists that are not constant
};

// Limits of an expression.
constexpr std::size_t kLengthMax = 4096;  // bytes
constexpr std::size_t kDepthMax = 64;     // nesting of brackets, calls, `else`, `not`, signs and `**`

}  // namespace kernsweep::expression
