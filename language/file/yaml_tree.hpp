// A sweep file as a tree of nodes: text with places, not interpreted yet.
//
// The YAML library does not decide the kind of a scalar: `on`, `no`, `1e-4` and `12:30` stay as they were
// written, and the axis or setting that they belong to decides their kind. JSON is read as YAML, which
// contains it.
//
// Errors, with line and column: bytes that are not UTF-8, control characters, tabs, duplicate keys, keys
// that are not plain text, more than one document, tags, an alias within the node that it names, more than
// kDepthMax levels, more than kNodesMax nodes after aliases are expanded (so nested aliases cannot use up
// memory). Merge keys (`<<`) are accepted.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "language/sweep.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

inline constexpr std::size_t kSweepBytesMax = 8u << 20;
inline constexpr std::size_t kNodesMax = 400'000;
inline constexpr int kDepthMax = 40;

// The origin of a text: a file with line numbers, or an argument of the command line.
struct TextSource {
  std::string name;  // "gemm.yaml", "on the command line, -a 'threads=[1]'"
  bool has_lines = true;
};
using TextSourcePtr = std::shared_ptr<const TextSource>;

struct NodeEntry;

struct Node {
  enum class Kind : std::uint8_t { scalar, sequence, mapping };
  Kind kind = Kind::scalar;
  bool quoted = false;  // scalars only: has quotes or a block style, so it is always text
  Place place;
  TextSourcePtr source;
  std::string scalar;
  std::vector<Node> items;         // sequence
  std::vector<NodeEntry> entries;  // mapping, in the order of the file

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  bool is_null() const;  // null or ~ without quotes, or nothing
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct NodeEntry {
  Node key;
  Node value;
};

// For messages: "'abc'", "a list", "a mapping", "null".
std::string describe(const Node& node);
// On one line, in the syntax of a sweep file, cut after about 100 characters.
std::string text_of(const Node& node);
// "gemm.yaml:3:5" or "on the command line, -a 'threads=[1]'".
std::string where(const Node& node);
// "<where>: <message>"
tl::unexpected<Error> wrong(const Node& node, const std::string& message);

// Error: "gemm.yaml:3:5: ...". An empty text is an error too.
Result<Node> parse_yaml(std::string_view text, const TextSourcePtr& source);

// Nothing if `text` is UTF-8 without control characters other than tab, newline and carriage return;
// otherwise what is wrong and where (line and column count from 1).
struct TextFlaw {
  Place place;
  std::string message;
};
std::optional<TextFlaw> flaw_of_text(std::string_view text);

}  // namespace kernsweep
