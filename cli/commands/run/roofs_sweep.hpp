// The sweep that measures the roofs of a host, written for the sizes of its caches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {

// 1, 2, 4, ... and all cores.
std::vector<std::uint32_t> thread_counts(const Topology& topology);
// "1,2,8" as numbers, ascending, each once. Error: not such a list, or more than the host has cores.
Result<std::vector<std::uint32_t>> thread_counts(const std::string& list, const Topology& topology);

// A whole sweep file of the kernel `roof`. For each number of threads: the peak of each data type with each
// instruction set, and reading, copying and adding in half of each cache and in four times the last-level
// caches (J. D. McCalpin's rule for STREAM), at least 64 MiB, at most a quarter of the memory. A cache of
// unknown size is left out, and so is a last-level cache whose half gives a thread less than twice its
// second-level cache: it would not be what is measured.
std::string roofs_sweep(const Topology& topology, const std::vector<std::uint32_t>& threads);

// The same for the first GPU of a host, whatever card it is: the peak of each data type, and reading,
// copying and adding in 16 MiB, which fit the L2 cache of cards for data centres and of consumers' cards
// since 2022, and in 4 GiB, which fit none.
std::string gpu_roofs_sweep();

}  // namespace kernsweep
