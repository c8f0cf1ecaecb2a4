// The operands that a sweep describes for a function (`operands`), instead of a pack: columns
// "operand.NAME" of a job, see shared/base/operand_text.hpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/result.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

struct DescribedOperands {
  std::vector<ks_input> inputs;                                    // sorted by name, without outputs
  std::vector<std::pair<std::string, std::string>> distributions;  // by name, of operands that have one
  std::vector<std::string> constant, in_place;                     // names

  bool empty() const { return inputs.empty(); }
};

// Error: a text that is not a valid operand or distribution, or more operands than a kernel can have.
Result<DescribedOperands> described_operands(const wire::Plan& plan, const wire::JobBody& body);

}  // namespace kernsweep
