// Compares the requested settings with those that were in effect. A library may use more or fewer threads
// than requested, bind them to other cores, change the environment, or not support the requested core type.
// Then the measured time is right, but it belongs to other settings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/slot/watch/core_looks.hpp"
#include "worker/slot/watch/thread_work.hpp"

namespace kernsweep {

struct Asked {
  std::uint32_t threads = 1;
  Cpus cpus;  // empty: not bound
  std::vector<std::pair<std::string, std::string>> environment;
};

struct Found {
  std::optional<WorkedThreads> threads;  // nothing: not known
  // From ready_at_once() of the looks. If several pools work one after the other, such as those of OpenBLAS
  // and Numba, fewer threads work at a time than in all.
  std::optional<std::uint32_t> threads_at_once = {};
  std::vector<Cpus> cpus_of_threads;
  std::function<const char*(const char* name)> variable;  // null: not set
  std::string runtime;     // the variant's description: "OpenBLAS 0.3.21 core=Haswell threads=2"
  bool on_device = false;  // a device does the work: `threads=` of the runtime are not the host's
};

// One sentence for each difference. For threads, both `threads=` of the runtime and the threads that worked
// are compared; for variables of libraries see library_settings.hpp.
std::vector<std::string> differences(const Asked& asked, const Found& found);

// A sentence if threads had to share cores although there is a core for each of them: such a time belongs
// to fewer threads. Threads that were requested beyond the cores of the job do not count.
std::optional<std::string> lack_of_cores(const Asked& asked, const std::vector<CoreLook>& looks);

// For a program: "3 threads on 1 core; add threads: 3", if this number of its threads was ready in half of
// the looks, and the host has cores for more of them, which `processors` counts (0: not known); otherwise
// "3 threads on 2 cores, all that the host has".
std::optional<std::string> advice_on_threads(const Asked& asked, const std::vector<CoreLook>& looks,
                                             std::uint32_t processors);

// The cores that the calling thread may run on, by the numbers of the system.
Cpus bound_cpus();
// The cores each thread of this process may run on. Empty: not readable.
std::vector<Cpus> cpus_of_threads(int process = 0);

}  // namespace kernsweep
