#include "shared/text/source_call.hpp"

#include <algorithm>

#include "shared/text/trimmed.hpp"

namespace kernsweep {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A literal of C: 4, -1.5e-3f, 0x10.
bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const bool begins = !text.empty() && (is_digit(text[0]) || (text[0] == '.' && text.size() > 1));
  return begins && std::ranges::all_of(text, [](char c) {
           return is_digit(c) || is_letter(c) || c == '.' || c == '+' || c == '-';
         });
}

}  // namespace

bool is_argument_name(std::string_view argument) {
  return !argument.empty() && is_letter(argument[0]) &&
         std::ranges::all_of(argument, [](char c) { return is_letter(c) || is_digit(c) || c == '.'; });
}

Result<SourceCall> source_call_of(std::string_view text) {
  const auto flaw = [&](const std::string& what) {
    return failure("'" + std::string(text) + "' is not a call: " + what +
                   "; write the function and its arguments, as matmul(n, a, b, c)");
  };
  const std::string_view whole = trimmed(text);
  const auto open = whole.rfind('(');
  if (open == std::string_view::npos || !whole.ends_with(')'))
    return flaw("it has no arguments in parentheses");
  SourceCall out;
  out.function = trimmed(whole.substr(0, open));
  if (out.function.empty()) return flaw("it has no function");
  std::string_view left = trimmed(whole.substr(open + 1, whole.size() - open - 2));
  for (bool more = !left.empty(); more;) {
    const auto comma = left.find(',');
    const std::string_view argument = trimmed(left.substr(0, comma));
    if (!is_argument_name(argument) && !is_number(argument))
      return flaw("'" + std::string(argument) +
                  "' is neither the name of an operand or a column nor a number");
    out.arguments.emplace_back(argument);
    more = comma != std::string_view::npos;
    if (more) left.remove_prefix(comma + 1);
  }
  return out;
}

}  // namespace kernsweep
