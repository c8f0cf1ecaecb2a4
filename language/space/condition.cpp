#include "language/space/condition.hpp"

#include <fmt/format.h>

#include "language/file/names.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

// Kept between calls, so that memory of long texts is reused.
std::span<const Value> gathered(const std::vector<std::uint32_t>& columns,
                                const std::vector<Value>& values) {
  thread_local std::vector<Value> scratch;
  if (scratch.size() < columns.size()) scratch.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) scratch[i] = values[columns[i]];
  return {scratch.data(), columns.size()};
}

}  // namespace

Result<Value> Condition::evaluate(const std::vector<Value>& values) const {
  return expression.evaluate(gathered(columns, values));
}

Result<bool> Condition::holds(const std::vector<Value>& values) const {
  return expression.holds(gathered(columns, values));
}

bool Condition::reads_null(const std::vector<Value>& values) const {
  for (const auto column : columns) {
    if (values[column].is_null()) return true;
  }
  return false;
}

Result<Condition> resolve(const Formula& formula, const ColumnFinder& find,
                          const std::vector<std::string>& known) {
  Condition condition{formula.expression, {}, where(formula.node)};
  for (const auto& name : formula.expression.names()) {
    const auto column = find(name);
    if (column) {
      condition.columns.push_back(*column);
      continue;
    }
    if (is_host_fact(name)) {
      return wrong(formula.node,
                   fmt::format("in '{}': '{}' is known only on a host; move this to `requires`",
                               formula.expression.text(), name));
    }
    return wrong(formula.node, fmt::format("in '{}': no column here is called '{}'{}",
                                           formula.expression.text(), name, did_you_mean(name, known)));
  }
  return condition;
}

}  // namespace kernsweep
