#include "kernels/source/arguments.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#include "kernels/pack_parts.hpp"
#include "shared/text/source_call.hpp"

namespace kernsweep::source {
namespace {

ks_tensor dense(const OperandText& text) {
  ks_tensor out{};
  out.dtype = static_cast<ks_dtype>(text.dtype);
  out.rank = static_cast<std::int32_t>(text.shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = text.shape.size(); d-- > 0;) {
    out.shape[d] = text.shape[d];
    out.strides[d] = stride;
    stride *= std::max<std::int64_t>(1, text.shape[d]);
  }
  return out;
}

std::size_t bytes_of(const std::string& name, const OperandText& text) {
  std::size_t bytes = size_of(text.dtype);
  for (const std::int64_t extent : text.shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(extent), &bytes))
      throw pack::Refused(KS_OUT_OF_MEMORY, "the operand '" + name + "' has more than 2^64 bytes");
  return bytes;
}

// The parameters and the host's arrays are both sorted by name.
std::vector<Operand> operands_of(const ks_params& params, const ks_context& context,
                                 const ks_tensor* inputs, std::size_t count) {
  std::vector<Operand> out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < params.count; ++i) {
    const std::string_view column = params.items[i].name;
    if (!column.starts_with(kOperandColumn)) continue;
    const std::string name(column.substr(kOperandColumn.size()));
    const auto text = operand_of_text(params.items[i].text);
    if (!text) throw pack::Refused(KS_BAD_PARAMETER, "operands." + name + ": " + text.error().message);
    Operand operand{name, *text, dense(*text), bytes_of(name, *text)};
    if (text->role == OperandRole::output) {
      operand.tensor.data = context.allocate(context.host, std::max<std::size_t>(1, operand.bytes));
      if (operand.tensor.data == nullptr)
        throw pack::Refused(KS_OUT_OF_MEMORY, "the host has no memory for the output '" + name + "'");
    } else if (next < count) {
      operand.tensor = inputs[next++];
    } else {
      throw pack::Refused(KS_FAILED, "the host made fewer operands than the sweep describes");
    }
    out.push_back(std::move(operand));
  }
  return out;
}

double number_of(const ks_params& params, const ks_context& context, const std::string& name) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const ks_param* const param = param_named(params, name);
  if (param == nullptr && name == "threads") return context.threads;
  const std::string instead = "; write it into `compile`, as -D" + name + "={" + name + "}";
  if (param == nullptr || param->kind == KS_NULL)
    throw pack::Refused(KS_BAD_PARAMETER, "the argument '" + name + "' has no value at this point");
  if (param->kind == KS_TEXT)
    throw pack::Refused(KS_BAD_PARAMETER, "the argument '" + name + "' is text" + instead);
  const double number = param->kind == KS_FLOAT ? param->real : static_cast<double>(param->integer);
  if (param->kind == KS_INTEGER && std::abs(number) >= kExact)
    throw pack::Refused(KS_BAD_PARAMETER, "the argument '" + name + "' is not below 2^53" + instead);
  return number;
}

// The operand with the role `output`, or else the first one of the call with `in_place`.
std::size_t shown_of(const Arguments& all) {
  const auto has_role = [&](const Argument& each, OperandRole role) {
    return each.operand != SIZE_MAX && all.operands[each.operand].text.role == role;
  };
  for (const OperandRole role : {OperandRole::output, OperandRole::in_place})
    for (const Argument& each : all.arguments)
      if (has_role(each, role)) return each.operand;
  return SIZE_MAX;
}

void check_outputs(const std::vector<Operand>& operands) {
  const auto is_output = [](const Operand& each) { return each.text.role == OperandRole::output; };
  if (std::ranges::count_if(operands, is_output) > 1)
    throw pack::Refused(KS_BAD_PARAMETER,
                        "several operands have the role output; one is compared, the others are in_place");
}

}  // namespace

const ks_param* param_named(const ks_params& params, std::string_view name) {
  const auto* const end = params.items + params.count;
  const auto* const found =
      std::find_if(params.items, end, [&](const ks_param& each) { return name == each.name; });
  return found == end ? nullptr : found;
}

Arguments arguments_of(const ks_params& params, const ks_context& context, const ks_tensor* inputs,
                       std::size_t count) {
  const auto call = source_call_of(text_of(params, "source"));
  if (!call) throw pack::Refused(KS_BAD_PARAMETER, call.error().message);
  Arguments out;
  out.function = call->function;
  out.operands = operands_of(params, context, inputs, count);
  for (const std::string& name : call->arguments) {
    Argument argument{name};
    const auto operand = std::ranges::find(out.operands, name, &Operand::name);
    if (operand != out.operands.end()) {
      argument.operand = static_cast<std::size_t>(operand - out.operands.begin());
    } else if (is_argument_name(name)) {
      argument.number = number_of(params, context, name);
    } else {
      argument.number = std::strtod(name.c_str(), nullptr);  // of the call's text, such as 0.5
    }
    out.arguments.push_back(std::move(argument));
  }
  check_outputs(out.operands);
  out.shown = shown_of(out);
  return out;
}

ks_status work_of(const ks_params* params, ks_work* out, ks_why) {
  const auto number = [&](const char* name) {
    const ks_param* const param = param_named(*params, name);
    const bool is_number = param != nullptr && (param->kind == KS_INTEGER || param->kind == KS_FLOAT);
    return is_number ? param->real : 0.0;
  };
  *out = {.flops = number("flops"), .bytes = number("bytes")};
  return KS_OK;
}

}  // namespace kernsweep::source
