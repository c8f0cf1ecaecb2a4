// Asked is compared with what is. A library may start more threads than it was told to, bind them to other
// cores, change the environment, or not know the core type that it was asked to be: then the number is
// right but is not the answer to the question.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kernsweep {

struct Asked {
  std::uint32_t threads = 1;
  std::vector<std::uint32_t> cpus;  // of the system; empty: not bound
  std::vector<std::pair<std::string, std::string>> environment;
};

struct Found {
  std::uint32_t threads = 1;  // that may compute: the measuring one and those that came since the start
  std::vector<std::vector<std::uint32_t>> cpus_of_threads;
  std::function<const char*(const char* name)> variable;  // null: not set
  std::string runtime;  // what the variant says of itself: "OpenBLAS 0.3.21 core=Haswell threads=2"
};

// A sentence for each difference; none: all is as asked. OPENBLAS_CORETYPE is held against `core=` of the
// runtime, without regard to the case of letters, where both are there.
std::vector<std::string> differences(const Asked& asked, const Found& found);

// Threads of this process, all of them.
std::uint32_t thread_count();
// The cores each thread of this process may run on. Empty: not readable.
std::vector<std::vector<std::uint32_t>> cpus_of_threads();

}  // namespace kernsweep
