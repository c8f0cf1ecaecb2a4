// Whether the threads of a job could use as many cores as it has threads: a mask that a library, a wrapper
// such as taskset or the job itself has narrowed makes them run one after the other. Found by looks at all
// threads of the job's processes during the warm-up, because programs and threads that each call starts
// have ended afterwards. Everything but ThreadLooks is pure.
// have ended afterwards. All but ThreadLooks is pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kernsweep {

using Cpus = std::vector<std::uint32_t>;  // ascending numbers of the system

// The cores that a thread may run on, by the system's number of the thread; 0: the calling one. Nothing: it
// has ended.
std::optional<Cpus> cpus_of_thread(int thread);

// The result of one look.
struct CoreLook {
  std::uint32_t ready = 0;    // threads that ran, or were ready to; only those of programs, if any
  std::uint32_t at_once = 0;  // how many of these can run at the same time, by their masks
  Cpus ready_cpus;            // that these may use
  Cpus cpus;                  // that threads of their processes may use, including sleeping threads
};

// The largest number of `masks` that can get a core each (a maximum matching of threads and cores).
std::uint32_t that_run_at_once(const std::vector<Cpus>& masks);

struct FewCores {
  std::uint32_t at_once = 0;
  Cpus cpus;
};

// Nothing: the job could use `wanted` cores, or no thread was seen. Looks with several ready threads decide
// if they are at least one of 25; one of five of these is enough, because threads rarely share a core by
// chance. A single thread may belong to a wrapper, or be bound by a library that binds each thread of a
// pool to a core of its own and has not started the others yet.
std::optional<FewCores> few_cores(const std::vector<CoreLook>& looks, std::uint32_t wanted);

// The largest number of threads that were ready in the same look, except in this share of the looks.
// Nothing: fewer than 20 looks saw a ready thread.
std::optional<std::uint32_t> ready_at_once(const std::vector<CoreLook>& looks, double but_for = 0.05);

// One look at this process and those that it has started, without the thread `but`.
CoreLook look_at_threads(int but);

// Looks at this process and those that it has started, from its construction on, in a thread of its own:
// first every 0.5 ms, later every 100 ms. A look takes about 10 us for each thread.
class ThreadLooks {
 public:
  ThreadLooks();
  ~ThreadLooks();
  ThreadLooks(const ThreadLooks&) = delete;
  ThreadLooks& operator=(const ThreadLooks&) = delete;
  // Stops looking.
  std::vector<CoreLook> end();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;  // null: no thread could be started, or it has ended
};

}  // namespace kernsweep
