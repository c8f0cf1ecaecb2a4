// Runs compiled expressions.
//
// One loop over the instructions and one stack, without recursion or allocation: the caller provides the
// memory. An error is returned as a Trap; its message is made only if it is needed.
#pragma once

#include <span>
#include <string>

#include "language/expression/code.hpp"

namespace kernsweep::expression {

struct Trap {
  Fault fault = Fault::none;
  Op op = Op::jump;
  std::uint16_t column = 0;
  // The kinds of the operands; equal for an operation with one operand.
  Kind left = Kind::null;
  Kind right = Kind::null;
};

// values[i] belongs to code.names[i]. `room`: code.stack_most + code.list_area operands, not initialised.
// The result points into the code, the values and the room.
Trap run(const Code& code, std::span<const Value> values, Operand* room, Operand& result);

// "column 7: '//' by zero; ..."
std::string describe(const Trap& trap);

}  // namespace kernsweep::expression
