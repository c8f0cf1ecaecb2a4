// Measures one job without coordinator and worker: `kernsweep-slot --once JOB`. For use with a debugger, to
// reproduce a crash or a number, and for bug reports.
//
// It uses the same JobRunner as a slot of a worker, in this process, on the cores that it was started on.
// Operands come from an arena of this process, and leases are granted at once. There is no limit of time or
// memory, and a kernel that crashes ends this process.
#pragma once

#include <string>
#include <vector>

#include "shared/base/outcome.hpp"
#include "shared/base/result.hpp"
#include "shared/wire/protocol.pb.h"
#include "shared/wire/single_job.hpp"

namespace kernsweep {

struct OnceAnswer {
  SingleJob job;
  Outcome outcome = Outcome::ok;
  wire::OutcomeBody body;
  std::string sources = {};    // wire::Software.sources
  bool bad_parameter = false;  // it failed because the pack reports that no variant can compute the point
};

// Error: no pack has the family, the given pack cannot be opened, or the machine cannot be read; then
// nothing has run. Later failures are in the answer.
Result<OnceAnswer> measure_once(const SingleJob& job);

// Several lines for the user.
std::string text_of(const OnceAnswer& answer);
// {"outcome", "reason", "bad_parameter", "family", "variant", "median_s", ..., "inputs": [...]}; without
// unknown values.
std::string json_of(const OnceAnswer& answer);

// The words after `--once`: [--json] JOB. The output of kernels goes to stderr, only the answer to stdout.
// Exit status: 0 ok, 1 the job failed, 2 bad input.
int run_once(const std::vector<std::string>& words);

}  // namespace kernsweep
