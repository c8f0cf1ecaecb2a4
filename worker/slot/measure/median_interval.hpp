// The interval that contains the true median with a probability of at least 95 %, whatever the
// distribution: between two samples of equal rank from below and from above. The number of n independent
// samples below the median is binomial with probability 1/2, so the rank is the largest l with P(fewer than
// l) <= 2.5 % (David and Nagaraja, Order Statistics, 2003, 7.1).
#pragma once

#include <cstdint>
#include <span>

namespace kernsweep {

// The rank of the lower end, from 1; the upper end is sample n + 1 - rank. 0: n < 6, there is none.
std::uint64_t median_interval_rank(std::uint64_t n);

// Half the width of that interval over the median. With fewer than 6 samples half of their range is used;
// for one sample it is 0.
double median_error(std::span<const double> samples);

}  // namespace kernsweep
