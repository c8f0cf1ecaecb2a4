// A sweep in the JSON of Google Benchmark, for tools that read it, such as its compare.py.
//
// One entry per job: its process is the repetition. `real_time` is the median time of one call in ns.
// `cpu_time` repeats it, because the time of the processors per call is not stored, and those tools require
// one. Rates are counters; `label` has grade and result. A failed job has `error_occurred` and
// `error_message`, and no time.
#pragma once

#include <string>

#include "results/report/export.hpp"

namespace kernsweep {

// `sweep`: in the form of Reader::find_sweep. Errors: there is no such sweep; the database cannot be read;
// those of the sink.
Status export_google_benchmark(Reader& reader, const std::string& sweep, const Sink& sink);

}  // namespace kernsweep
