// Messages of a coordinator to a worker, correct or partly wrong, as a script selects them.
#pragma once

#include <set>
#include <vector>

#include "shared/base/ids.hpp"
#include "shared/wire/protocol.pb.h"
#include "tests/fuzz/script.hpp"

namespace kernsweep::fuzz {

void fill_welcome(Script& script, wire::Welcome& welcome);
void fill_jobs(Script& script, wire::JobBatch& batch);
// Mostly of those that were sent.
AttemptId attempt_from(Script& script, const std::vector<AttemptId>& sent);
void fill_attempts(Script& script, const std::vector<AttemptId>& sent, wire::Attempts& attempts);

}  // namespace kernsweep::fuzz
