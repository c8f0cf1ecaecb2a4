// A `kernsweep` process under observation: when it ends, and what it, its worker and its slots have used.
//
// What the processor time went to is read from /proc while the processes live, because the product does not
// report it: each call of observe() reads, and the last reading counts. At 10 ms per tick of the kernel's
// accounts and one call every few milliseconds, a run of seconds is known to about a percent.
//
// One thread. The destructor kills a running process, with its group.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernsweep::bench {

// Seconds of processor time, user and system.
struct ProcessorTimes {
  double loop_s = 0;      // the coordinator's main thread
  double store_s = 0;     // its store thread
  double messages_s = 0;  // its ZeroMQ thread
  double worker_s = 0;    // the worker's process, all threads
  double slots_s = 0;     // all slot processes together
  double coordinator_s() const { return loop_s + store_s + messages_s; }
  double all_s() const { return coordinator_s() + worker_s + slots_s; }
};

class Program {
 public:
  // Starts `path` with `arguments` in `folder`; its stdout goes to `folder`/answer, its stderr to
  // `folder`/errors. Throws std::runtime_error: a benchmark ends with the first thing that goes wrong.
  Program(const std::string& path, const std::vector<std::string>& arguments, const std::string& folder);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Looks at the processes. False: the program has ended (and was reaped).
  bool observe();
  // Waits until the program has ended, at most so long. False: it has ended.
  bool run_for(int milliseconds);
  // Observes until the end, every 5 ms. Returns the exit status; throws when a signal ended it.
  int wait();
  void signal(int number) const;

  // Times and memory as last observed.
  ProcessorTimes times() const;
  std::uint64_t peak_memory_bytes() const { return peak_memory_bytes_; }  // of the coordinator
  double wall_s() const { return wall_s_; }                               // from start to end, once ended
  std::string answer() const;                                             // stdout
  std::string errors() const;                                             // stderr

 private:
  enum class Role : std::uint8_t { loop = 1, store, messages, worker, slot };
  void observe_coordinator();
  void observe_process(pid_t process, Role role);

  std::string folder_;
  pid_t pid_ = -1;
  int ended_ = -1;  // pidfd: readable once it has ended
  double started_s_ = 0;
  double wall_s_ = 0;
  std::optional<int> wait_status_;
  std::uint64_t peak_memory_bytes_ = 0;
  std::map<pid_t, std::pair<Role, double>> used_;  // by thread (coordinator) or process (others)
};

double clock_s();  // monotonic

}  // namespace kernsweep::bench
