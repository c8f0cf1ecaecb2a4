// Collects the code of an expression and computes the size of the stack that it needs.
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
  // The emitter keeps a copy; all texts together must not be longer than the expression.
  void push_text(std::string_view content, std::uint16_t column);
  // The operands that the code since `start` pushes, `count` of them, become one list.
  void make_list(std::size_t start, std::size_t count, std::uint16_t column);
  // An operation that takes one operand, or two, and leaves one.
  void unary(Op op, std::uint16_t column);
  void binary(Op op, std::uint16_t column);
  // The sign is computed now if the code since `start` is just a number.
  void sign(Op op, std::size_t start, std::uint16_t column);

  // A jump whose target is given later: land() makes it lead to here.
  std::size_t jump(Op op, std::uint16_t column);
  std::size_t chain(Op comparison, std::uint16_t column);
  void land(std::size_t jump);
  // What has just been pushed is not there when the code that follows runs.
  void forget_one() { --depth_; }
  // Code is [start, middle) x, [middle, here) condition. Puts the condition and a jump over x and one more
  // instruction before x.
  void condition_first(std::size_t start, std::size_t middle, std::uint16_t column);

  std::unique_ptr<const Code> take() { return std::move(code_); }

 private:
  Instruction& emit(Op op, std::uint16_t column);
  void grow();

  std::unique_ptr<Code> code_;
  std::size_t depth_ = 0;
};

}  // namespace kernsweep::expression
