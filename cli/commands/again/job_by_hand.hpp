// One job of a sweep in the form for `kernsweep-slot --once`.
#pragma once

#include "language/space/expansion.hpp"
#include "shared/base/ids.hpp"
#include "shared/wire/single_job.hpp"

namespace kernsweep {

// The job as a coordinator would send it. `pack` is left empty. `job` < expansion.raw_jobs(), and `sweep`
// is the number of the stored sweep, if it is stored.
SingleJob job_by_hand(const Expansion& expansion, SweepId sweep, std::uint64_t job);

// The value of the column `variant`; empty: it has none.
std::string variant_of(const SingleJob& job);

}  // namespace kernsweep
