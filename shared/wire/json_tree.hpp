// A JSON document as a tree of Values, without types of the JSON library. Integers and floats are different
// kinds (7 and 7.0), and members keep their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

struct JsonTree {
  enum class Kind : std::uint8_t { scalar, object, list };

  JsonTree() = default;  // null
  JsonTree(Value value) : scalar(std::move(value)) {}
  static JsonTree object() { return JsonTree(Kind::object); }
  static JsonTree list() { return JsonTree(Kind::list); }
  // A whole number; it may be above the largest integer of Value.
  static JsonTree natural(std::uint64_t number);

  JsonTree& add(std::string name, JsonTree tree);  // to an object; the name must be new
  JsonTree& add(JsonTree tree);                    // to a list
  const JsonTree* find(std::string_view name) const;
  JsonTree* find(std::string_view name);

  bool is_object() const { return kind == Kind::object; }
  bool is_text() const { return kind == Kind::scalar && scalar.text(); }
  // The value, if this is a whole number of at least 0; nothing otherwise.
  std::optional<std::uint64_t> whole() const;
  // For messages: "a mapping", "a list", or the kind of the value: "an integer", "text", "null".
  std::string_view what() const;

  Kind kind = Kind::scalar;
  Value scalar;                                           // of a scalar
  std::optional<std::uint64_t> large;                     // instead of `scalar`: above 2^63 - 1
  std::vector<std::pair<std::string, JsonTree>> members;  // names are empty in a list

 private:
  explicit JsonTree(Kind which) : kind(which) {}
};

// Errors: not JSON (with the position in the text), a name that occurs twice in one object, more than 16
// levels, an integer that does not fit into 64 bits, a float that is too large.
Result<JsonTree> json_tree_of(std::string_view text);

// "PATH takes EXPECTED, not a list".
tl::unexpected<Error> wrong_kind(std::string_view path, std::string_view expected, const JsonTree& found);

// One line, or several if `indent` is not negative. Bytes that are not UTF-8 become U+FFFD; a float that is
// not finite becomes null.
std::string text_of(const JsonTree& tree, int indent = -1);

}  // namespace kernsweep
