// The command line's own answers as JSON; those about results come from results/json.hpp.
#pragma once

#include <string>

#include "coordinator/net/coordinator.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

// {"families": [...], "broken": [...]}; only `family` when it is not empty.
std::string catalogue_json(const wire::Catalogue& catalogue, const std::string& family);

// {"sweep", "sweep_id", "database", "ending", "status", "ok", "failed", "earlier", "reused", "retried",
// "done",
//  "seconds", "findings"}. `findings`: JSON text, or empty.
std::string summary_json(const SweepSummary& summary, const std::string& sweep, const std::string& database,
                         int status, const std::string& findings);

}  // namespace kernsweep
