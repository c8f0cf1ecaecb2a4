// An answer as rows: what queries return, tables print and exports write.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shared/base/value.hpp"

namespace kernsweep {

struct RowSet {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;  // each as long as `columns`
};

}  // namespace kernsweep
