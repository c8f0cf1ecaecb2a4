// Runs compiled expressions.
//
// One loop over the instructions, one stack, no recursion, no allocation: the caller gives the room. What
// goes wrong comes back as a Trap, which becomes a sentence only when somebody wants to read it.
#pragma once

#include <span>
#include <string>

#include "language/expression/code.hpp"

namespace kernsweep::expression {

struct Trap {
  Fault fault = Fault::none;
  Op op = Op::jump;
  std::uint16_t column = 0;
  // What the operation was given; for an operation of one operand both are that.
  Kind left = Kind::null;
  Kind right = Kind::null;
};

// values[i] belongs to code.names[i]. `room`: code.stack_most + code.list_area operands, not initialised.
// The result views the code, the values and the room.
Trap run(const Code& code, std::span<const Value> values, Operand* room, Operand& result);

// "column 7: '//' by zero; ..."
std::string describe(const Trap& trap);

}  // namespace kernsweep::expression
