// A sweep as T4 results, a form in which tuners of kernels hand over what they measured; version 1.0.0 of
// the schema that Kernel Tuner has (kernel_tuner/schema/T4/1.0.0/results-schema.json).
//
// One result per point, state of the caches, kind of host and class of software: its processes together.
// `configuration` has all columns of the point that are not derived, the problem included. `times` are
// milliseconds: `runtimes` the samples of all processes in their order, `compilation` preparing and
// verifying, `framework` waiting for the lease, `benchmark` warming up and sampling. `measurements` has the
// median over the processes as `time`, rates, the worst grade and, of what failed, the reason. What was not
// tried to its end (gives_way) is left out.
#pragma once

#include <string>

#include "results/report/export.hpp"

namespace kernsweep {

// `sweep`: as Reader::find_sweep takes it. Errors: there is no such sweep; the database cannot be read; the
// sink's.
Status export_t4(Reader& reader, const std::string& sweep, const Sink& sink);

}  // namespace kernsweep
