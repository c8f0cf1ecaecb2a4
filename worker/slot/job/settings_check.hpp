// Asked is compared with what is. A library may work with more threads than it was told to or with fewer,
// bind them to other cores, change the environment, or not know the core type that it was asked to be: then
// the number is right but is not the answer to the question.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/slot/watch/thread_work.hpp"

namespace kernsweep {

struct Asked {
  std::uint32_t threads = 1;
  std::vector<std::uint32_t> cpus;  // of the system; empty: not bound
  std::vector<std::pair<std::string, std::string>> environment;
};

struct Found {
  std::optional<WorkedThreads> threads;  // nothing: nothing can be told
  std::vector<std::vector<std::uint32_t>> cpus_of_threads;
  std::function<const char*(const char* name)> variable;  // null: not set
  std::string runtime;  // what the variant says of itself: "OpenBLAS 0.3.21 core=Haswell threads=2"
};

// A sentence for each difference; none: all is as asked. `threads=` of the runtime counts beside the
// threads that worked; variables of libraries are those of library_settings.hpp.
std::vector<std::string> differences(const Asked& asked, const Found& found);

// The cores that the calling thread may run on, as the system numbers them.
std::vector<std::uint32_t> bound_cpus();
// The cores each thread of this process may run on. Empty: not readable.
std::vector<std::vector<std::uint32_t>> cpus_of_threads();

}  // namespace kernsweep
