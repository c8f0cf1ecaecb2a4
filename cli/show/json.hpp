// Answers of commands as JSON. Those about results are in results/report/json.hpp.
#pragma once

#include <string>
#include <vector>

#include "coordinator/net/coordinator.hpp"
#include "shared/keys/key_file.hpp"
#include "shared/wire/client.pb.h"
#include "shared/wire/protocol.pb.h"
#include "worker/host/doctor/check_finding.hpp"

namespace kernsweep {

// {"families": [...], "broken": [...]}. If `family` is not empty, only that family is listed.
std::string catalogue_json(const wire::Catalogue& catalogue, const std::string& family);

// [{"id", "group", "verdict", "found", "why", "remedy", "values": {...}}, ...]
std::string findings_json(const std::vector<CheckFinding>& findings);

// {"sweep", "sweep_id", "database", "ending", "status", "ok", "failed", "earlier", "reused", "retried",
// "done", "seconds", "rejected": {"points", "of", "exact", "rules": [{"rule", "points"}, ...]}, and if they
// are not empty "taken_over", "measured_again", "findings" and "claims"}. `rules`: of the sweep;
// `findings`, `claims`: JSON text.
std::string summary_json(const SweepSummary& summary, const std::vector<Filter>& rules,
                         const std::string& database, int status, const std::string& findings,
                         const std::string& claims);

// The answer of a running coordinator: the fields of its message by their names.
std::string answer_json(const wire::Answer& answer);

// The keys without their secrets. `now` decides which keys are accepted.
std::string keys_json(const KeyFile& keys, UnixSeconds now);

}  // namespace kernsweep
