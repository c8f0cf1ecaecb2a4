// A replay as text for the user, and as JSON.
#pragma once

#include <string>

#include "results/answer/compare/replay.hpp"

namespace kernsweep {

// `label`: of the point.
std::string text_of(const ReplayAnswer& answer, const StoredJob& job, const std::string& label,
                    const EvidenceRules& rules);
std::string to_json(const ReplayAnswer& answer, const StoredJob& job, const EvidenceRules& rules);

}  // namespace kernsweep
