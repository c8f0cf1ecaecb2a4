// Points of a sweep that are left out because it is known before the start that they cannot be measured.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shared/base/value.hpp"

namespace kernsweep {

// Whether it is a number whose spelling expressions cannot read: 007, -01.
bool is_no_literal(const Value& value);
// The value in the syntax of expressions; such a number as the text that it is equal to.
std::string expression_literal(const Value& value);

// A constraint that is not in a file, and why points that do not meet it cannot be measured. Both are one
// line without a tab.
struct LeftOut {
  std::string rule, why;
};

// The columns and values that points have in common. Not empty.
using PointCondition = std::vector<std::pair<std::string, Value>>;

// Collects such conditions; those with the same reason become one rule.
class LeftOutRules {
 public:
  void add(const std::string& why, PointCondition condition);
  // In the order in which the reasons were added.
  std::vector<LeftOut> rules() const;

 private:
  struct Reason {
    std::string why;
    std::vector<PointCondition> conditions;
  };
  std::vector<Reason> reasons_;
};

}  // namespace kernsweep
