// JSON as a tree of our own values: what is read from a person or written for one, without the library's
// types. Integers and floats stay apart (7 and 7.0 are two kinds), members keep their order.
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
  // A whole number that may be above the largest of Value.
  static JsonTree natural(std::uint64_t number);

  JsonTree& add(std::string name, JsonTree tree);  // to an object; the name must be new
  JsonTree& add(JsonTree tree);                    // to a list
  const JsonTree* find(std::string_view name) const;
  JsonTree* find(std::string_view name);

  bool is_object() const { return kind == Kind::object; }
  bool is_text() const { return kind == Kind::scalar && scalar.text(); }
  // A whole number from 0; nothing: it is something else.
  std::optional<std::uint64_t> whole() const;
  // "a mapping", "a list", or what kind of value: "an integer", "text", "null".
  std::string_view what() const;

  Kind kind = Kind::scalar;
  Value scalar;                                           // of a scalar
  std::optional<std::uint64_t> large;                     // instead of `scalar`: above 2^63 - 1
  std::vector<std::pair<std::string, JsonTree>> members;  // of a list without names

 private:
  explicit JsonTree(Kind which) : kind(which) {}
};

// Errors: what is no JSON (with the place in the text), a name that stands twice in one object, more than
// 16 levels, an integer below 64 bits, a number too large to be told from infinity.
Result<JsonTree> json_tree_of(std::string_view text);

// "PATH takes EXPECTED, not a list".
tl::unexpected<Error> wrong_kind(std::string_view path, std::string_view expected, const JsonTree& found);

// One line; with `indent` several. What is not UTF-8 has U+FFFD where it is not; a float that is not finite
// is null.
std::string text_of(const JsonTree& tree, int indent = -1);

}  // namespace kernsweep
