#include "shared/wire/json_tree.hpp"

#include <algorithm>

namespace kernsweep {

JsonTree JsonTree::natural(std::uint64_t number) {
  JsonTree tree;
  if (number >> 63 == 0) return Value(static_cast<std::int64_t>(number));
  tree.large = number;
  return tree;
}

JsonTree& JsonTree::add(std::string name, JsonTree tree) {
  KS_ASSERT(kind == Kind::object && !find(name));
  return members.emplace_back(std::move(name), std::move(tree)).second;
}

JsonTree& JsonTree::add(JsonTree tree) {
  KS_ASSERT(kind == Kind::list);
  return members.emplace_back("", std::move(tree)).second;
}

const JsonTree* JsonTree::find(std::string_view name) const {
  const auto at =
      std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.first == name; });
  return kind == Kind::object && at != members.end() ? &at->second : nullptr;
}

JsonTree* JsonTree::find(std::string_view name) {
  return const_cast<JsonTree*>(std::as_const(*this).find(name));
}

std::optional<std::uint64_t> JsonTree::whole() const {
  if (large) return large;
  const auto* number = kind == Kind::scalar ? scalar.integer() : nullptr;
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::string_view JsonTree::what() const {
  if (kind == Kind::object) return "a mapping";
  if (kind == Kind::list) return "a list";
  if (large || scalar.integer()) return "an integer";
  if (scalar.real()) return "a float";
  if (scalar.boolean()) return "true or false";
  return scalar.text() ? "text" : "null";
}

tl::unexpected<Error> wrong_kind(std::string_view path, std::string_view expected, const JsonTree& found) {
  return failure(std::string(path) + " takes " + std::string(expected) + ", not " +
                 std::string(found.what()));
}

}  // namespace kernsweep
