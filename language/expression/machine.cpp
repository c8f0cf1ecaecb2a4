#include "language/expression/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/expression/arithmetic.hpp"

namespace kernsweep::expression {
namespace {

Fault compare(Op op, const Operand& left, const Operand& right, bool& out) {
  switch (op) {
    case Op::equal:
      out = are_equal(left, right);
      return Fault::none;
    case Op::not_equal:
      out = !are_equal(left, right);
      return Fault::none;
    case Op::in:
      return contains(right, left, out);
    case Op::not_in: {
      const Fault fault = contains(right, left, out);
      out = !out;
      return fault;
    }
    default:
      break;
  }
  Order order = Order::unordered;
  if (const Fault fault = order_of(left, right, order); fault != Fault::none) return fault;
  const bool equal_counts = op == Op::less_equal || op == Op::greater_equal;
  const Order wanted = op == Op::less || op == Op::less_equal ? Order::less : Order::greater;
  out = order == wanted || (equal_counts && order == Order::equal);
  return Fault::none;
}

// As in Python: returns the first of equal operands, and the first if one is a nan.
Fault extreme(Order wanted, const Operand& left, const Operand& right, Operand& out) {
  Order order = Order::unordered;
  const Fault fault = order_of(right, left, order);
  out = order == wanted ? right : left;
  return fault;
}

Fault extreme_of(Order wanted, const Operand& list, Operand& out) {
  if (list.kind != Kind::list) return Fault::no_list;
  if (list.size == 0) return Fault::empty_list;
  Operand best = list.items[0];
  for (std::uint64_t i = 1; i < list.size; ++i) {
    if (const Fault fault = extreme(wanted, best, list.items[i], best); fault != Fault::none) return fault;
  }
  out = best;
  return Fault::none;
}

Fault length_of(const Operand& operand, Operand& out) {
  if (operand.kind != Kind::text && operand.kind != Kind::list) return Fault::no_length;
  auto length = static_cast<std::int64_t>(operand.size);
  if (operand.kind == Kind::text) {
    const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    length = std::count_if(operand.chars, operand.chars + operand.size, starts);
  }
  out = Operand::make(length);
  return Fault::none;
}

Fault apply_two(Op op, const Operand& left, const Operand& right, Operand& out) {
  switch (op) {
    case Op::add:
      return add(left, right, out);
    case Op::subtract:
      return subtract(left, right, out);
    case Op::multiply:
      return multiply(left, right, out);
    case Op::divide:
      return divide(left, right, out);
    case Op::floor_divide:
      return floor_divide(left, right, out);
    case Op::remainder:
      return remainder(left, right, out);
    case Op::power:
      return power(left, right, out);
    case Op::minimum:
      return extreme(Order::less, left, right, out);
    case Op::maximum:
      return extreme(Order::greater, left, right, out);
    case Op::ceil_div:
      return ceil_divide(left, right, out);
    case Op::round_digits:
      return round_digits(left, right, out);
    default:
      break;
  }
  bool truth = false;
  const Fault fault = compare(op, left, right, truth);
  out = Operand::make(truth);
  return fault;
}

Fault apply_one(Op op, const Operand& operand, Operand& out) {
  switch (op) {
    case Op::negate:
      return negate(operand, out);
    case Op::affirm:
      return affirm(operand, out);
    case Op::absolute:
      return absolute(operand, out);
    case Op::round_whole:
      return round_whole(operand, out);
    case Op::log2:
      return log2_of(operand, out);
    case Op::is_pow2:
      return is_power_of_two(operand, out);
    case Op::length:
      return length_of(operand, out);
    case Op::minimum_of:
      return extreme_of(Order::less, operand, out);
    case Op::maximum_of:
      return extreme_of(Order::greater, operand, out);
    default:
      out = Operand::make(!is_true(operand));
      return Fault::none;
  }
}

}  // namespace

Trap run(const Code& code, std::span<const Value> values, Operand* room, Operand& result) {
  Operand* const lists = room + code.stack_most;
  Operand* top = room;  // one past the topmost operand
  const Instruction* const end = code.instructions.data() + code.instructions.size();
  for (const Instruction* at = code.instructions.data(); at != end; ++at) {
    switch (at->op) {
      case Op::push_constant:
        *top++ = code.constants[static_cast<std::size_t>(at->argument)];
        break;
      case Op::push_list:
        *top++ = Operand::make_list(code.constants.data() + at->argument, at->count);
        break;
      case Op::push_name:
        *top++ = Operand::view(values[static_cast<std::size_t>(at->argument)]);
        break;
      case Op::make_list:
        top -= at->count;
        std::copy_n(top, at->count, lists + at->argument);
        *top++ = Operand::make_list(lists + at->argument, at->count);
        break;
      case Op::jump:
        at += at->argument;
        break;
      case Op::jump_if_false:
        if (!is_true(*--top)) at += at->argument;
        break;
      case Op::jump_if_false_keep:
      case Op::jump_if_true_keep:
        if (is_true(top[-1]) == (at->op == Op::jump_if_true_keep)) {
          at += at->argument;
        } else {
          --top;
        }
        break;
      case Op::chain: {
        --top;
        bool holds = false;
        const auto op = static_cast<Op>(at->count);
        const Fault fault = compare(op, top[-1], top[0], holds);
        if (fault != Fault::none) return {fault, op, at->column, top[-1].kind, top[0].kind};
        top[-1] = holds ? top[0] : Operand::make(false);
        if (!holds) at += at->argument;
        break;
      }
      default:
        if (at->op < Op::logical_not) {
          --top;
          const Kind left = top[-1].kind;
          const Fault fault = apply_two(at->op, top[-1], top[0], top[-1]);
          if (fault != Fault::none) return {fault, at->op, at->column, left, top[0].kind};
        } else {
          const Kind kind = top[-1].kind;
          const Fault fault = apply_one(at->op, top[-1], top[-1]);
          if (fault != Fault::none) return {fault, at->op, at->column, kind, kind};
        }
    }
  }
  result = top[-1];
  return {};
}

std::string describe(const Trap& trap) {
  const std::string_view name = spelling(trap.op);
  const std::string_view left = kind_name(trap.left);
  const std::string_view right = kind_name(trap.right);
  const auto message = [&]() -> std::string {
    switch (trap.fault) {
      case Fault::none:
        return "nothing is wrong";
      case Fault::not_numbers:
        if (trap.op >= Op::logical_not) return fmt::format("'{}' takes a number, not {}", name, left);
        return fmt::format("'{}' takes numbers, not {} and {}", name, left, right);
      case Fault::overflow:
        return fmt::format("the result of '{}' does not fit in 64 bits; make an operand a float, as in 2.0",
                           name);
      case Fault::float_range:
        return fmt::format("the result of '{}' is beyond the largest float", name);
      case Fault::by_zero:
        if (trap.op == Op::power) return "'**' of zero with a negative exponent";
        return fmt::format("'{}' by zero; guard it, as in 'x != 0 and n % x == 0'", name);
      case Fault::not_real:
        return "'**' of a negative number with a fractional exponent is not a real number";
      case Fault::logarithm:
        return "log2 takes a number above zero";
      case Fault::not_finite:
        return "round takes a finite number; this is inf or nan";
      case Fault::not_digits:
        return fmt::format("round takes its number of digits as an integer, not {}", right);
      case Fault::no_order:
        return fmt::format("'{}' cannot order {} and {}", name, left, right);
      case Fault::no_container:
        return fmt::format("the right side of '{}' must be a text or a list, not {}", name, right);
      case Fault::no_text_sought:
        return fmt::format("'{}' finds only text in a text, not {}", name, left);
      case Fault::no_length:
        return fmt::format("len takes a text or a list, not {}", left);
      case Fault::no_list:
        return fmt::format("{} with one argument takes a list, not {}", name, left);
      case Fault::empty_list:
        return fmt::format("{} of an empty list", name);
      case Fault::list_result:
        return "the result is a list; compare it, or look into it with 'in'";
    }
    return "unknown fault";
  };
  return fmt::format("column {}: {}", trap.column, message());
}

}  // namespace kernsweep::expression
