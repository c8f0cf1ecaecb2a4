// Collects the code of an expression and computes the stack size that it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "language/expression/code.hpp"

namespace kernsweep::expression {

class Emitter {
 public:
  explicit Emitter(std::string_view text);

  std::size_t here() const { return code_->instructions.size(); }

  void push_name(std::string_view name, std::uint16_t column);
  void push_constant(const Operand& constant, std::uint16_t column);
  // Copies `content`; all texts together must not be longer than the expression.
  void push_text(std::string_view content, std::uint16_t column);
  // Makes one list of the `count` operands that the code since `start` pushes.
  void make_list(std::size_t start, std::size_t count, std::uint16_t column);
  // An operation that pops one operand, or two, and pushes one.
  void unary(Op op, std::uint16_t column);
  void binary(Op op, std::uint16_t column);
  // Computes the sign now if the code since `start` is only a number.
  void sign(Op op, std::size_t start, std::uint16_t column);

  // A jump without a target; land() sets the target to the current end of the code.
  std::size_t jump(Op op, std::uint16_t column);
  std::size_t chain(Op comparison, std::uint16_t column);
  void land(std::size_t jump);
  // When the following code runs, the stack has one operand less.
  void forget_one() { --depth_; }
  // The code is [start, middle) x, [middle, here) condition. Moves the condition before x, followed by a
  // jump over x and one more instruction.
  void condition_first(std::size_t start, std::size_t middle, std::uint16_t column);

  std::unique_ptr<const Code> take() { return std::move(code_); }

 private:
  Instruction& emit(Op op, std::uint16_t column);
  void grow();

  std::unique_ptr<Code> code_;
  std::size_t depth_ = 0;
};

}  // namespace kernsweep::expression
