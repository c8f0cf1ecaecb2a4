// The inputs of a result and the hashes of their contents as text: "A=<hash> B=<hash>". The hashes are
// hexadecimal; the operands are in the kernel's order and escaped (escaped_text.hpp).
#pragma once

#include <string>
#include <string_view>

#include "shared/base/digest.hpp"
#include "shared/text/escaped_text.hpp"

namespace kernsweep {

// Appends an input.
inline void append_input(std::string& list, std::string_view operand, const Digest& content) {
  if (!list.empty()) list += ' ';
  append_escaped(list, operand, " =");
  list += '=' + content.hex();
}

// Calls use(operand, content) for each input that has a hash.
template <class Use>
void each_input(std::string_view list, Use use) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    const std::string_view each = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const std::size_t equals = std::min(each.find('='), each.size());
    const auto content = digest_from_hex(each.substr(std::min(equals + 1, each.size())));
    if (content) use(unescaped(each.substr(0, equals)), *content);
  }
}

}  // namespace kernsweep
