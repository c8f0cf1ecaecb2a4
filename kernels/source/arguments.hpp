// The arguments of a call that a sweep with `source` describes: what the parameters "source",
// "operand.NAME" and the columns that the call names give.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/api/pack_params.hpp"
#include "shared/base/operand_text.hpp"

namespace kernsweep::source {

struct Operand {
  std::string name;
  OperandText text;
  ks_tensor tensor{};     // in the host's memory
  std::size_t bytes = 0;  // of its elements
};

struct Argument {
  std::string name;
  std::size_t operand = SIZE_MAX;  // index in Arguments::operands; SIZE_MAX: a number
  double number = 0;
};

struct Arguments {
  std::string function;             // as the call has it
  std::vector<Operand> operands;    // sorted by name
  std::vector<Argument> arguments;  // as in the call
  std::size_t shown = SIZE_MAX;     // the operand that is the output; SIZE_MAX: what the function returns
};

// Memory of operands that are only written is allocated by the host. Throws pack::Refused: a value that is
// no number, or above 2^53, several outputs, no memory.
Arguments arguments_of(const ks_params& params, const ks_context& context, const ks_tensor* inputs,
                       std::size_t count);

// ks_family::work from the parameters `flops` and `bytes`.
ks_status work_of(const ks_params* params, ks_work* out, ks_why why);

// The parameter; null if it is absent.
const ks_param* param_named(const ks_params& params, std::string_view name);

// Calls `call`, and returns KS_OK or what it threw, with the reason in `why`.
template <class Call>
ks_status caught(ks_why why, Call&& call) {
  try {
    call();
    return KS_OK;
  } catch (const pack::Refused& refused) {
    pack::detail::say(why, refused.what());
    return refused.status();
  } catch (const std::bad_alloc&) {
    return KS_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    pack::detail::say(why, error.what());
    return KS_FAILED;
  }
}

}  // namespace kernsweep::source
