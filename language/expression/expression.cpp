#include "language/expression/expression.hpp"

#include <memory>

#include "language/expression/machine.hpp"
#include "language/expression/parser.hpp"

namespace kernsweep {

struct Expression::Program {
  std::unique_ptr<const expression::Code> code;
};

namespace {

using expression::Code;
using expression::Fault;
using expression::Kind;
using expression::Operand;
using expression::Trap;

// Runs the code and passes its result to `finish`; the result is valid only during the call.
template <class Finish>
auto evaluated(const Code& code, std::span<const Value> values, Finish finish)
    -> Result<decltype(finish(Operand()))> {
  KS_ASSERT(values.size() == code.names.size());
  // Enough for most expressions; only large lists with computed items need more.
  constexpr std::size_t kRoom = 48;
  Operand room[kRoom];
  std::unique_ptr<Operand[]> more;
  const std::size_t needed = code.stack_most + code.list_area;
  if (needed > kRoom) more.reset(new Operand[needed]);
  Operand result;
  Trap trap = run(code, values, more ? more.get() : room, result);
  if (trap.fault == Fault::none && result.kind == Kind::list)
    trap = {.fault = Fault::list_result, .column = 1};
  if (trap.fault != Fault::none) return failure(describe(trap));
  return finish(result);
}

Value to_value(const Operand& operand) {
  switch (operand.kind) {
    case Kind::boolean:
      return operand.truth;
    case Kind::integer:
      return operand.integer;
    case Kind::real:
      return operand.real;
    case Kind::text:
      return operand.text();
    default:
      return Null{};
  }
}

}  // namespace

Expression::Expression(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

Result<Expression> Expression::parse(std::string_view text) {
  auto code = expression::compile(text);
  if (!code) return tl::unexpected(std::move(code.error()));
  return Expression(std::make_shared<Program>(Program{std::move(*code)}));
}

const std::vector<std::string>& Expression::names() const {
  return program_->code->names;
}

const std::string& Expression::text() const {
  return program_->code->text;
}

Result<Value> Expression::evaluate(std::span<const Value> values) const {
  return evaluated(*program_->code, values, to_value);
}

Result<bool> Expression::holds(std::span<const Value> values) const {
  return evaluated(*program_->code, values, expression::is_true);
}

}  // namespace kernsweep
