#include "language/file/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared/base/gpu_facts.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_dotted_name(std::string_view name) {
  bool at_start = true;
  for (const char c : name) {
    if (c == '.') {
      if (at_start) return false;
      at_start = true;
    } else if (is_letter(c) || c == '_' || (is_digit(c) && !at_start)) {
      at_start = false;
    } else {
      return false;
    }
  }
  return !at_start;
}

}  // namespace

bool is_host_fact(std::string_view name) {
  return name.starts_with("host.") || name.starts_with("gpu.");
}

std::string why_no_gpu_fact(std::string_view name) {
  constexpr std::string_view kPrefix = "gpu.";
  if (!name.starts_with(kPrefix) || std::ranges::count(kGpuFacts, name.substr(kPrefix.size())) > 0)
    return "";
  std::vector<std::string> known;
  for (const std::string_view fact : kGpuFacts) known.push_back(std::string(kPrefix) + std::string(fact));
  return fmt::format("no host reports '{}'{}", name, did_you_mean(name, known));
}

Status check_column_name(const Node& name) {
  const std::string& text = name.scalar;
  constexpr std::size_t kLongest = 100;
  if (text.size() > kLongest || !is_dotted_name(text)) {
    return wrong(
        name,
        fmt::format(
            "{} is not a valid name for an axis or column; use letters, digits and _, in parts joined by "
            "dots, such as threads or env.OMP_NUM_THREADS",
            describe(name)));
  }
  if (is_host_fact(text)) {
    return wrong(
        name,
        fmt::format("'{}' is a property of the host and cannot be an axis or column; use it in `requires`",
                    text));
  }
  const auto expression = Expression::parse(text);
  if (!expression || expression->names() != std::vector<std::string>{text}) {
    return wrong(name, fmt::format("'{}' is a word of the expression language; choose another name", text));
  }
  return Done{};
}

Status check_sweep_name(const Node& name) {
  constexpr std::size_t kLongest = 100;
  const std::string& text = name.scalar;
  bool good = !text.empty() && text.size() <= kLongest && (is_letter(text[0]) || is_digit(text[0]));
  for (const char c : text)
    good = good && (is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.');
  if (good) return Done{};
  return wrong(
      name,
      fmt::format("name cannot be {}; use letters, digits, _, - and ., beginning with a letter or digit",
                  describe(name)));
}

}  // namespace kernsweep
