// The result of a query as rows with named columns; printed as tables and written by exports.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared/base/value.hpp"

namespace kernsweep {

struct RowSet {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;  // each as long as `columns`

  friend bool operator==(const RowSet&, const RowSet&) = default;
};

// Values with the names of their columns.
using NamedValues = std::vector<std::pair<std::string, Value>>;

}  // namespace kernsweep
