// Runs compiled expressions.
//
// One loop over the instructions, one stack, no recursion, no allocation: the caller provides the memory.
// An error is returned as a Trap, from which the message is made only if it is needed.
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
