// Converts what a worker's attempt has counted to rows of the table `metric`.
#pragma once

#include <vector>

#include "results/store/records.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

// Replaces the content of `out`. Left out are names that are none, numbers that are not finite, what was
// told before, and what exceeds 64 rows. The texts are those of `body`, which must outlive them.
//
// `items` is how many things one call computes, such as the images of a batch. Where it is positive and
// `median_s` (seconds per call; not above 0: not known) is known, `items_per_s` = items / median_s follows,
// as GFLOP/s follow from flops, unless the kernel has counted a metric of that name itself.
void read_metrics(const wire::OutcomeBody& body, double median_s, std::vector<MetricRecord>& out);

}  // namespace kernsweep::coordinator
