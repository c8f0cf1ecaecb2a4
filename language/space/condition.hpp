// An expression whose names are resolved to columns of a point.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "language/file/document.hpp"

namespace kernsweep {

struct Condition {
  Expression expression;
  std::vector<std::uint32_t> columns;  // of expression.names()
  std::string where;                   // "gemm.yaml:12:5"

  // `values`: one per column. Errors are those of the expression, without the place.
  Result<Value> evaluate(const std::vector<Value>& values) const;
  Result<bool> holds(const std::vector<Value>& values) const;
  // Whether a column that it reads is null: an error of the expression then means "does not apply here".
  bool reads_null(const std::vector<Value>& values) const;
};

// Returns the column with a name; nothing if there is none.
using ColumnFinder = std::function<std::optional<std::uint32_t>(const std::string&)>;

// Error: "<where>: in '<text>': no column here is called 'thraeds'; did you mean 'threads'?", with `known`
// as candidates.
Result<Condition> resolve(const Formula& formula, const ColumnFinder& find,
                          const std::vector<std::string>& known);

}  // namespace kernsweep
