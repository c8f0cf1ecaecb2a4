// Reads the key `claims:`. Whether its axes and values exist is checked later, when the columns are known
// (PlanBuilder::add_claims); a stored sweep has passed that check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "language/expression/expression.hpp"
#include "language/file/yaml_tree.hpp"
#include "shared/base/claim.hpp"

namespace kernsweep {

inline constexpr std::size_t kClaimsMax = 1000;

struct ReadClaim {
  Claim claim;
  std::optional<Expression> where;
  Node node;        // the whole claim, for places
  Node where_node;  // of `where`
};

// Errors: shape, unknown keys, metrics, numbers, names that occur twice; with line and column.
Result<std::vector<ReadClaim>> read_claims(const Node& list);

// Reads the claims of a stored sweep from its text; `path` is for messages. Opens no file.
Result<std::vector<ReadClaim>> claims_of_text(std::string_view text, const std::string& path);

// Names that a claim may use in addition to the columns of the sweep. `bits`: for equal_bits, all places of
// a measurement.
std::vector<std::string> claim_places(bool bits);

}  // namespace kernsweep
