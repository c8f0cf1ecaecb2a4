// The environment of a slot: empty, but for a short pass list, the thread counts, and what the sweep file
// says.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kernsweep {

// Variables of the worker that slots inherit; everything else is dropped, so that two hosts differ only
// where the file says so. HOME, LD_LIBRARY_PATH, PATH, TMPDIR, and the options of sanitizers (for our own
// sanitized builds).
const std::vector<std::string>& passed_variables();

// "NAME=value" lines, sorted. OMP_, OPENBLAS_, BLIS_ and MKL_NUM_THREADS are `threads` unless `asked` sets
// them. `gpus`: UUIDs with commas between them, for CUDA_VISIBLE_DEVICES, whatever `asked` says of that;
// with none CUDA shows no GPU. GPUs are numbered by their place on the bus.
std::vector<std::string> slot_environment(const std::map<std::string, std::string>& asked, unsigned threads,
                                          const std::string& gpus = "");

// For a process that says what is here: the same, with every GPU that CUDA shows to this one.
std::vector<std::string> environment_with_every_gpu(unsigned threads = 1);

}  // namespace kernsweep
