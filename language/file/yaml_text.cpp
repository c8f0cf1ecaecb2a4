#include "language/file/yaml_text.hpp"

#include <fmt/format.h>

#include <cctype>

namespace kernsweep {
namespace {

// Where a scalar is: alone after a key, in brackets, or before a colon.
enum class At : std::uint8_t { value, item, key };

bool reads_as_it_is(const std::string& text, At at) {
  const auto source = std::make_shared<const TextSource>(TextSource{"", false});
  const std::string tried = at == At::value  ? "k: " + text
                            : at == At::item ? "k: [" + text + "]"
                                             : text + ": v";
  const auto read = parse_yaml(tried, source);
  if (!read || !read->is_mapping() || read->entries.size() != 1) return false;
  const NodeEntry& entry = read->entries.front();
  if (at == At::key) return entry.key.scalar == text && entry.value.scalar == "v";
  if (at == At::item && entry.value.items.size() != 1) return false;
  const Node& back = at == At::value ? entry.value : entry.value.items.front();
  return back.is_scalar() && !back.quoted && back.scalar == text;
}

// In double quotes, for text that single quotes cannot contain.
std::string escaped(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out + '"';
}

std::string in_quotes_of_yaml(const std::string& text) {
  if (text.find_first_of("\n\t\r") != std::string::npos) return escaped(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string scalar_text(const Node& node, At at) {
  if (!node.quoted && !node.scalar.empty() && reads_as_it_is(node.scalar, at)) return node.scalar;
  return !node.quoted && node.scalar.empty() ? "null" : in_quotes_of_yaml(node.scalar);
}

std::string value_text(const Node& node, At at) {
  if (node.is_scalar()) return scalar_text(node, at);
  std::string out;
  for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + value_text(item, At::item);
  if (node.is_sequence()) return "[" + out + "]";
  for (const auto& [key, value] : node.entries)
    out += (out.empty() ? "" : ", ") + yaml_key(key.scalar) + ": " + value_text(value, At::item);
  return "{" + out + "}";
}

}  // namespace

std::string yaml_value(const Node& node) {
  return value_text(node, At::value);
}

std::string yaml_key(const std::string& name) {
  const bool begins_plainly = !name.empty() && std::isalnum(static_cast<unsigned char>(name.front())) != 0;
  const bool is_plain =
      begins_plainly && name != "null" && reads_as_it_is(name, At::key) && reads_as_it_is(name, At::item);
  return is_plain ? name : in_quotes_of_yaml(name);
}

}  // namespace kernsweep
