#include "language/file/yaml_tree.hpp"

#include <fmt/format.h>

#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kShownBytes = 60;

std::string shortened(std::string_view text) {
  if (text.size() <= kShownBytes) return std::string(text);
  std::size_t end = kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

bool Node::is_null() const {
  return is_scalar() && !quoted && (scalar.empty() || scalar == "null" || scalar == "~");
}

const Node* Node::find(std::string_view key) const {
  for (const auto& entry : entries) {
    if (entry.key.scalar == key) return &entry.value;
  }
  return nullptr;
}

Node* Node::find(std::string_view key) {
  for (auto& entry : entries) {
    if (entry.key.scalar == key) return &entry.value;
  }
  return nullptr;
}

std::string describe(const Node& node) {
  if (node.is_sequence()) return "a list";
  if (node.is_mapping()) return "a mapping";
  if (node.is_null()) return "null";
  return "'" + shortened(node.scalar) + "'";
}

std::string text_of(const Node& node) {
  if (node.is_scalar())
    return node.quoted ? "\"" + node.scalar + "\"" : node.is_null() ? "null" : node.scalar;
  std::string out = node.is_sequence() ? "[" : "{";
  bool first = true;
  const auto add = [&](const std::string& text) {
    out += (first ? "" : ", ") + text;
    first = false;
  };
  for (const Node& item : node.items) {
    if (out.size() < 100) add(text_of(item));
  }
  for (const auto& entry : node.entries) {
    if (out.size() < 100) add(entry.key.scalar + ": " + text_of(entry.value));
  }
  if (out.size() >= 100) out += ", ...";
  return out + (node.is_sequence() ? "]" : "}");
}

std::string where(const Node& node) {
  const std::string name = node.source ? node.source->name : std::string("sweep");
  if (node.source && !node.source->has_lines) return name;
  return fmt::format("{}:{}:{}", name, node.place.line, node.place.column);
}

tl::unexpected<Error> wrong(const Node& node, const std::string& message) {
  return failure(where(node) + ": " + message);
}

std::optional<TextFlaw> flaw_of_text(std::string_view text) {
  Place place{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      return TextFlaw{place, fmt::format("byte 0x{:02x} is not UTF-8; save the file as UTF-8", byte)};
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      return TextFlaw{place, fmt::format("control character 0x{:02x}; is this a text file?", byte)};
    }
    if (byte == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
    i += length;
  }
  return std::nullopt;
}

}  // namespace kernsweep
