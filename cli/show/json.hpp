// The command line's own answers as JSON; those about results come from results/report/json.hpp.
#pragma once

#include <string>
#include <vector>

#include "coordinator/net/coordinator.hpp"
#include "shared/keys/key_file.hpp"
#include "shared/wire/client.pb.h"
#include "shared/wire/protocol.pb.h"
#include "worker/host/doctor/check_finding.hpp"

namespace kernsweep {

// {"families": [...], "broken": [...]}; only `family` when it is not empty.
std::string catalogue_json(const wire::Catalogue& catalogue, const std::string& family);

// [{"id", "group", "verdict", "found", "why", "remedy", "values": {...}}, ...]
std::string findings_json(const std::vector<CheckFinding>& findings);

// {"sweep", "sweep_id", "database", "ending", "status", "ok", "failed", "earlier", "reused", "retried",
// "done", "seconds", "rejected": {"points", "of", "exact", "rules": [{"rule", "points"}, ...]}, "findings",
// "claims"}. `rules`: of the sweep; `findings`, `claims`: JSON text, or empty.
std::string summary_json(const SweepSummary& summary, const std::vector<Filter>& rules,
                         const std::string& database, int status, const std::string& findings,
                         const std::string& claims);

// What a running coordinator answers: the fields of its message by their names.
std::string answer_json(const wire::Answer& answer);

// Without any secret. `now`: for whether a key is accepted.
std::string keys_json(const KeyFile& keys, UnixSeconds now);

}  // namespace kernsweep
