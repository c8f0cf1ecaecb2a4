// The environment of a slot: a few variables of the worker, the thread counts, and those that the sweep
// file sets; nothing else.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kernsweep {

// Variables of the worker that slots inherit: HOME, LD_LIBRARY_PATH, PATH, TMPDIR, and the options of
// sanitizers (for sanitized builds of Kernsweep). All others are dropped, so that the environments of two
// hosts differ only in the variables that the sweep file sets.
const std::vector<std::string>& passed_variables();

// "NAME=value" lines, sorted. OMP_, OPENBLAS_, BLIS_ and MKL_NUM_THREADS are `threads` unless `settings`
// sets them. CUDA_VISIBLE_DEVICES is always `gpus`, UUIDs with commas between them; if it is empty, CUDA
// shows no GPU. CUDA_DEVICE_ORDER makes CUDA number GPUs by their position on the bus.
std::vector<std::string> slot_environment(const std::map<std::string, std::string>& settings,
                                          unsigned threads, const std::string& gpus = "");

// The same for a process that only examines the host: it sees every GPU that CUDA shows to this process.
std::vector<std::string> environment_with_every_gpu(unsigned threads = 1);

}  // namespace kernsweep
