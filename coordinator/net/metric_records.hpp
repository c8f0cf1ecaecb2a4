// Converts the counts of a worker's attempt to rows of the table `metric`.
#pragma once

#include <vector>

#include "results/store/records.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

// Replaces the content of `out`. Invalid names, numbers that are not finite, repeated names, and rows
// beyond 64 are left out. The texts are those of `body`, which must outlive them.
//
// `items` is how many things one call computes, such as the images of a batch. If it is positive and
// `median_s` (seconds per call; not above 0: not known) is known, items_per_s = items / median_s is added,
// as GFLOP/s follow from flops, unless the kernel has counted a metric of that name.
void read_metrics(const wire::OutcomeBody& body, double median_s, std::vector<MetricRecord>& out);

}  // namespace kernsweep::coordinator
