// The value of an expression, as one text that a test can compare.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "language/expression/expression.hpp"

namespace kernsweep::testing {

using Names = std::map<std::string, Value, std::less<>>;

// The canonical text of the value ("i12", "b1", "s3:abc"), or the message of the error. A name that `names`
// lacks is null.
inline std::string answer(std::string_view text, const Names& names = {}) {
  const auto expression = Expression::parse(text);
  if (!expression) return expression.error().message;
  std::vector<Value> values;
  for (const auto& name : expression->names()) {
    const auto found = names.find(name);
    values.push_back(found == names.end() ? Value() : found->second);
  }
  const auto value = expression->evaluate(values);
  if (!value) return value.error().message;
  std::string out;
  value->append_canonical(out);
  return out;
}

}  // namespace kernsweep::testing
