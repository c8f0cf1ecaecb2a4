// A sweep in the JSON that programs of Google Benchmark write, for tools that read it, such as its
// compare.py.
//
// One entry per job: its process is the repetition. `real_time` is the median time of one call in ns.
// `cpu_time` repeats it, because the time of the processors per call is not stored, and those tools ask for
// one. Rates are counters; grade and result stand in `label`. A job that failed has `error_occurred` and
// `error_message`, and no time.
#pragma once

#include <string>

#include "results/report/export.hpp"

namespace kernsweep {

// `sweep`: as Reader::find_sweep takes it. Errors: there is no such sweep; the database cannot be read; the
// sink's.
Status export_google_benchmark(Reader& reader, const std::string& sweep, const Sink& sink);

}  // namespace kernsweep
