// A sweep as T4 results, an exchange format of kernel tuners; version 1.0.0 of the schema in Kernel Tuner
// (kernel_tuner/schema/T4/1.0.0/results-schema.json).
//
// One result per point, cache state, kind of host and class of software, with all its processes.
// `configuration` has all columns of the point that are not derived, including the problem. `times` are in
// milliseconds: `runtimes` has the samples of all processes in their order, `compilation` preparing and
// verifying, `framework` waiting for the lease, `benchmark` warming up and sampling. `measurements` has the
// median over the processes as `time`, rates, the worst grade and, for failures, the reason. Jobs that were
// not tried to the end (gives_way) are left out.
#pragma once

#include <string>

#include "results/report/export.hpp"

namespace kernsweep {

// `sweep`: in the form of Reader::find_sweep. Errors: there is no such sweep; the database cannot be read;
// those of the sink.
Status export_t4(Reader& reader, const std::string& sweep, const Sink& sink);

}  // namespace kernsweep
