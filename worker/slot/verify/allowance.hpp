// The allowed error of the elements of an output, by their types. Pure functions.
//
// The tolerance of an element is that of the coarser one of its type and the reference's; whole numbers are
// exact. A family's own or a sweep's tolerance is relative to the largest value that it applies to. If
// neither has one, each part of an output, such as each array of a tuple, has a scale of its own, so that a
// large part does not hide errors in a small one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/dtype.hpp"
#include "worker/slot/verify/comparison.hpp"

namespace kernsweep {

// The allowed error of elements, by their type and that of the reference.
struct Allowance {
  ks_tolerance declared{};             // by the family
  std::map<std::string, double> said;  // verify.tolerance
  std::string column;                  // the job's `dtype`; empty: the type of the elements is used
  bool may_round = false;  // floats that `said` does not name may have errors of rounding_tolerance()

  Allowance() = default;
  Allowance(const ks_tolerance& tolerance) : declared(tolerance) {}
  ks_tolerance between(Dtype output, std::optional<Dtype> reference) const;
  // Whether each part has a scale of its own: if rounding_tolerance() applies.
  bool is_by_part() const { return may_round && said.empty(); }
};

// For the comparison of outputs of several types: `right` is the reference, whose types may not be known
// (empty). Requires that `output` has as many elements as `right`.
std::vector<Stretch> stretches_of(const std::vector<OutputPart>& output,
                                  const std::vector<OutputPart>& reference, const Elements& right,
                                  const Allowance& allowance);

}  // namespace kernsweep
