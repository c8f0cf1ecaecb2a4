#include "worker/slot/job/described_operands.hpp"

#include <algorithm>
#include <cstring>

#include "shared/base/operand_fill.hpp"
#include "shared/base/operand_text.hpp"
#include "shared/base/try.hpp"
#include "worker/slot/job/operands.hpp"

namespace kernsweep {
namespace {

// The fan of a matrix [in, out], or from the last two extents.
std::int64_t extent_from_end(const std::vector<std::int64_t>& shape, std::size_t place) {
  return place < shape.size() ? shape[shape.size() - 1 - place] : 1;
}

Result<ks_input> input_of(const std::string& name, const OperandText& text) {
  ks_input out{};
  if (name.size() >= sizeof out.name)
    return failure("the operand '" + name + "': at most " + std::to_string(sizeof out.name - 1) +
                   " characters of a name are possible");
  std::memcpy(out.name, name.data(), name.size());
  out.dtype = static_cast<ks_dtype>(text.dtype);
  out.rank = static_cast<std::int32_t>(text.shape.size());
  std::ranges::copy(text.shape, out.shape);
  const bool is_whole = text.dtype == Dtype::s8 || text.dtype == Dtype::u8 || text.dtype == Dtype::s32 ||
                        text.dtype == Dtype::s64;
  out.distribution = is_whole ? KS_INTEGERS : KS_UNIFORM;
  out.a = !is_whole ? -1 : text.dtype == Dtype::u8 ? 0 : -8;
  out.b = is_whole ? 8 : 1;
  out.fan_in = extent_from_end(text.shape, 1);
  out.fan_out = extent_from_end(text.shape, 0);
  out.density = 1;
  return out;
}

}  // namespace

Result<DescribedOperands> described_operands(const wire::Plan& plan, const wire::JobBody& body) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (int i = 0; i < plan.columns_size() && i < body.values_size(); ++i)
    if (plan.columns(i).starts_with(kOperandColumn))
      texts.emplace_back(plan.columns(i).substr(kOperandColumn.size()), body.values(i).text());
  std::ranges::sort(texts);
  DescribedOperands out;
  if (texts.size() > KS_INPUTS_MAX)
    return failure("a function gets at most " + std::to_string(KS_INPUTS_MAX) + " operands");
  for (const auto& [name, text] : texts) {
    const auto read = operand_of_text(text);
    if (!read) return failure("the operand '" + name + "': " + read.error().message);
    if (read->role == OperandRole::output) continue;  // the kernel allocates it
    KS_ASSIGN_OR_RETURN(auto input, input_of(name, *read));
    out.inputs.push_back(input);
    if (!read->distribution.empty()) {
      if (const auto fill = operand_fill_of(read->distribution); !fill)
        return failure("the operand '" + name + "': " + fill.error().message);
      out.distributions.emplace_back(name, read->distribution);
    }
    if (read->role == OperandRole::constant) out.constant.push_back(name);
    if (read->role == OperandRole::in_place) out.in_place.push_back(name);
  }
  return out;
}

}  // namespace kernsweep
