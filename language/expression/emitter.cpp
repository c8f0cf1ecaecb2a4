#include "language/expression/emitter.hpp"

#include <algorithm>

#include "language/expression/arithmetic.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::expression {

Emitter::Emitter(std::string_view text) : code_(std::make_unique<Code>()) {
  code_->text = text;
  code_->letters.reserve(text.size());  // must not be reallocated: constants point into it
}

Instruction& Emitter::emit(Op op, std::uint16_t column) {
  code_->instructions.push_back({.op = op, .column = column});
  return code_->instructions.back();
}

void Emitter::grow() {
  code_->stack_most = std::max(code_->stack_most, ++depth_);
}

void Emitter::push_name(std::string_view name, std::uint16_t column) {
  auto& names = code_->names;
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) found = names.insert(names.end(), std::string(name));
  emit(Op::push_name, column).argument = static_cast<std::int32_t>(found - names.begin());
  grow();
}

void Emitter::push_constant(const Operand& constant, std::uint16_t column) {
  emit(Op::push_constant, column).argument = static_cast<std::int32_t>(code_->constants.size());
  code_->constants.push_back(constant);
  grow();
}

void Emitter::push_text(std::string_view content, std::uint16_t column) {
  std::string& letters = code_->letters;
  KS_ASSERT(letters.size() + content.size() <= letters.capacity());
  const std::size_t start = letters.size();
  letters += content;
  push_constant(Operand::make(std::string_view(letters).substr(start)), column);
}

void Emitter::make_list(std::size_t start, std::size_t count, std::uint16_t column) {
  auto& instructions = code_->instructions;
  const auto is_constant = [](const Instruction& instruction) {
    return instruction.op == Op::push_constant;
  };
  const bool constant =
      instructions.size() - start == count &&
      std::all_of(instructions.end() - static_cast<std::ptrdiff_t>(count), instructions.end(), is_constant);
  std::size_t place = code_->list_area;
  if (constant) {
    instructions.resize(start);
    place = code_->constants.size() - count;  // the last ones, in order
  } else {
    code_->list_area += count;
  }
  Instruction& list = emit(constant ? Op::push_list : Op::make_list, column);
  list.count = static_cast<std::uint32_t>(count);
  list.argument = static_cast<std::int32_t>(place);
  depth_ -= count;
  grow();
}

void Emitter::unary(Op op, std::uint16_t column) {
  emit(op, column);
}

void Emitter::binary(Op op, std::uint16_t column) {
  emit(op, column);
  --depth_;
}

void Emitter::sign(Op op, std::size_t start, std::uint16_t column) {
  const auto& last = code_->instructions.back();
  if (here() - start == 1 && last.op == Op::push_constant) {
    Operand& constant = code_->constants[static_cast<std::size_t>(last.argument)];
    // If it fails, the sign is evaluated at run time, which reports the error.
    if ((op == Op::negate ? negate(constant, constant) : affirm(constant, constant)) == Fault::none) return;
  }
  unary(op, column);
}

std::size_t Emitter::jump(Op op, std::uint16_t column) {
  emit(op, column);
  if (op != Op::jump) --depth_;
  return here();
}

std::size_t Emitter::chain(Op comparison, std::uint16_t column) {
  emit(Op::chain, column).count = static_cast<std::uint32_t>(comparison);
  --depth_;
  return here();
}

void Emitter::land(std::size_t jump) {
  code_->instructions[jump - 1].argument = static_cast<std::int32_t>(here() - jump);
}

void Emitter::condition_first(std::size_t start, std::size_t middle, std::uint16_t column) {
  const auto length = static_cast<std::int32_t>(middle - start);
  emit(Op::jump_if_false, column).argument = length + 1;  // over x and the jump after it
  --depth_;
  const auto begin = code_->instructions.begin();
  std::rotate(begin + static_cast<std::ptrdiff_t>(start), begin + static_cast<std::ptrdiff_t>(middle),
              code_->instructions.end());
}

}  // namespace kernsweep::expression
