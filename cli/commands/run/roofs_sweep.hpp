// Writes the sweep that measures the roofs of a host, for the sizes of its caches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {

// The powers of two below the number of cores, and that number itself.
std::vector<std::uint32_t> thread_counts(const Topology& topology);
// Reads "1,2,8"; ascending, without duplicates. Error: it is not such a list, or exceeds the number of
// cores.
Result<std::vector<std::uint32_t>> thread_counts(const std::string& list, const Topology& topology);

// The text of a sweep file for the kernel `roof`. It measures, for each number of threads, the peak of each
// data type with each instruction set, and reading, copying and adding data of these sizes: half of each
// cache, and four times the last-level caches (J. D. McCalpin's rule for STREAM), at least 64 MiB and at
// most a quarter of the memory. Caches of unknown size are left out. A last-level cache is left out if half
// of it has less than twice the second-level cache for each thread: then mostly the latter is measured.
std::string roofs_sweep(const Topology& topology, const std::vector<std::uint32_t>& threads);

// The same for any GPU: the peak of each data type, and reading, copying and adding 16 MiB, which fit into
// the L2 cache of data-centre cards and of consumer cards since 2022, and 4 GiB, which fit into no cache.
std::string gpu_roofs_sweep();

}  // namespace kernsweep
