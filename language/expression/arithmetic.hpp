// Arithmetic with the results of Python, on 64-bit integers and floats.
//
// Booleans are the integers 1 and 0. Two integers give an integer (except `/`, and `**` with a negative
// exponent), any float gives a float. If Python's result is an integer of more than 64 bits, the functions
// return Fault::overflow; if Python raises an exception, another Fault. `out` is written only with
// Fault::none. Nothing allocates.
//
// All require numbers, otherwise they return Fault::not_numbers; text and lists have no arithmetic.
#pragma once

#include "language/expression/operand.hpp"

namespace kernsweep::expression {

Fault add(const Operand& left, const Operand& right, Operand& out);
Fault subtract(const Operand& left, const Operand& right, Operand& out);
Fault multiply(const Operand& left, const Operand& right, Operand& out);
// Always a float: the one nearest to the exact quotient, also for integers that no float holds.
Fault divide(const Operand& left, const Operand& right, Operand& out);
// The greatest whole number that is not above the quotient.
Fault floor_divide(const Operand& left, const Operand& right, Operand& out);
// left - right * floor(left / right): zero or of the sign of `right`.
Fault remainder(const Operand& left, const Operand& right, Operand& out);
Fault power(const Operand& base, const Operand& exponent, Operand& out);

Fault negate(const Operand& operand, Operand& out);
Fault affirm(const Operand& operand, Operand& out);  // unary +
Fault absolute(const Operand& operand, Operand& out);
Fault log2_of(const Operand& operand, Operand& out);
// The least whole number that is not below left / right; a float for floats, as -(-left // right).
Fault ceil_divide(const Operand& left, const Operand& right, Operand& out);
// True for 1, 2, 4, ... and for floats that are one of these.
Fault is_power_of_two(const Operand& operand, Operand& out);

// Rounds to the nearest integer, halves to the even one.
Fault round_whole(const Operand& operand, Operand& out);
// Rounds to `digits` decimal places (negative: tens, hundreds, ...) and keeps the kind. Halves go to the
// even digit, decided by the exact value of the float: round(2.675, 2) is 2.67. `digits` null: round_whole.
Fault round_digits(const Operand& operand, const Operand& digits, Operand& out);

}  // namespace kernsweep::expression
