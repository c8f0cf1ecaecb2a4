#include "shared/base/operand_text.hpp"

#include <charconv>

#include "shared/text/trimmed.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kRankMax = 8;

// Takes the last word from `text` if it is a role.
OperandRole take_role(std::string_view& text) {
  constexpr std::pair<std::string_view, OperandRole> kRoles[] = {{"varying", OperandRole::varying},
                                                                 {"constant", OperandRole::constant},
                                                                 {"in_place", OperandRole::in_place},
                                                                 {"output", OperandRole::output}};
  for (const auto& [name, role] : kRoles) {
    const bool is_last = text.ends_with(name);
    const std::string_view before = text.substr(0, text.size() - (is_last ? name.size() : 0));
    if (!is_last || !(before.empty() || before.back() == ' ')) continue;
    text = trimmed(before);
    return role;
  }
  return OperandRole::varying;
}

}  // namespace

Result<OperandText> operand_of_text(std::string_view text) {
  const auto flaw = [&](const std::string& what) {
    return failure(
        "'" + std::string(text) + "' is not an operand: " + what +
        "; write f32[64, 512], then maybe a distribution, then maybe constant, in_place or output");
  };
  OperandText out;
  const auto open = text.find('['), shut = text.find(']');
  if (open == std::string_view::npos || shut == std::string_view::npos || shut < open)
    return flaw("it has no shape in brackets");
  const std::string_view type = trimmed(text.substr(0, open));
  const auto dtype = dtype_named(type);
  if (!dtype) return flaw("'" + std::string(type) + "' is not a data type");
  out.dtype = *dtype;
  std::string_view left = trimmed(text.substr(open + 1, shut - open - 1));
  bool more = !left.empty();
  while (more) {
    const auto comma = left.find(',');
    const std::string_view extent = trimmed(left.substr(0, comma));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(extent.data(), extent.data() + extent.size(), number);
    if (error != std::errc() || end != extent.data() + extent.size() || number < 0)
      return flaw("'" + std::string(extent) + "' is not an extent, which is a whole number from 0 on");
    out.shape.push_back(number);
    more = comma != std::string_view::npos;
    if (more) left = left.substr(comma + 1);
  }
  if (out.shape.size() > kRankMax) return flaw("it has more than 8 dimensions");
  std::string_view rest = trimmed(text.substr(shut + 1));
  out.role = take_role(rest);
  out.distribution = rest;
  if (out.role == OperandRole::output && !rest.empty())
    return flaw("an output has no distribution, because every call writes it");
  return out;
}

}  // namespace kernsweep
