// A small whole results database: two sweeps, results of all kinds, events, a host, software, an input.
#pragma once

#include <string>

#include "results/store/records.hpp"

namespace kernsweep::fuzz {

// Writes to `path`, without further files. Rows of `attempt`: kSeedRows.
void make_seed(const std::string& path);
constexpr std::uint64_t kSeedRows = 14;

SweepRecord a_sweep(const std::string& name);
// `values` must outlive the record.
AttemptRecord an_attempt(SweepId sweep, std::uint64_t index, const std::vector<Value>& values);

}  // namespace kernsweep::fuzz
