// Work that continues after the last call: of other threads (a pool with a queue), of processes that the
// calls started and did not wait for. The time of such a call is the time to order the work, not to do it.
//
// Threads that spin after a call, as those of OpenMP and OpenBLAS do for some milliseconds, also use
// processor time. But the length of that does not depend on the number of calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {

// The processor time after a call, from readings at most some milliseconds apart. Pure.
class LateTail {
 public:
  static constexpr Duration kStep = std::chrono::milliseconds(1);
  static constexpr Duration kLongest = std::chrono::milliseconds(250);

  LateTail() = default;
  LateTail(Instant begun, TreeTime first) : begun_(begun), last_at_(begun), last_(std::move(first)) {}
  // Returns whether to read again. A tail ends after 3 ms without work: no thread and no process used a
  // tenth of a core, or waits for one. `threads_wait`: other threads of this process do.
  bool add(Instant now, TreeTime tree, bool threads_wait);

  double threads_s() const { return threads_s_; }
  double processes_s() const { return processes_s_; }
  double worked_s() const { return threads_s_ + processes_s_; }
  double lasted_s() const { return seconds(busy_at_ - begun_); }
  bool outlasted() const { return outlasted_; }
  // Most of it, or the end of it.
  bool is_of_processes() const { return processes_s_ > threads_s_ || busy_processes_; }

 private:
  Instant begun_, last_at_, busy_at_ = begun_;
  TreeTime last_;
  double threads_s_ = 0, processes_s_ = 0;
  bool outlasted_ = false, busy_processes_ = false;
};

struct LateWork {
  LateTail after_many;
  std::optional<LateTail> after_one;  // not measured if the first one is sufficient
  std::uint64_t calls = 0;            // before `after_many`
  double one_lasted_s = 0;            // the longest tail after a single call
  double call_s = 0;                  // median
  std::size_t left = 0;               // processes that these calls started and that still run
  std::size_t unawaited = 0;  // processes that these calls started and did not wait for, ended or not
  static constexpr std::size_t kMoreCalls = 2;
  static constexpr std::size_t kManyThreads = 8;  // those of earlier calls may have ended
  std::size_t left_threads = 0;                   // more than before these calls
  std::size_t more_threads = 0;                   // new ones that kMoreCalls further calls have left
  bool has_spinning_library = false;
  bool was_switched = false;  // the calls lost their core to other threads, above all other disturbances
  std::string asked_to_spin;  // "OMP_WAIT_POLICY=active"
};
// Both are texts for the user: a doubt about the result, and a note.
struct LateJudgement {
  std::string doubt, note;
  bool still_works = false;
};
// Whether it needs `more_threads`: a pool starts its threads during the first calls.
bool may_leave_threads(const LateWork& found);
bool leaves_threads(const LateWork& found);
LateJudgement judge(const LateWork& found);
// Whether the tail after a single call can change the judgement. False: judge() needs no more.
bool depends_on_one_call(const LateWork& found);

// The variable that makes the threads of OpenMP or OpenBLAS spin for more than LateTail::kLongest, with its
// value; "": none. `variable`: as getenv.
std::string asked_to_spin(const std::function<const char*(const char*)>& variable);
// Whether a library is loaded whose threads spin after a parallel section.
bool has_spinning_library();

// Finds such work in this process and below it.
class LateWorkWatch {
 public:
  enum class Of : std::uint8_t {
    process,  // calls that work in this process
    programs  // calls that start a program from the first thread and wait for it
  };
  // The existing threads of this process are its own, which do no work of calls.
  explicit LateWorkWatch(Of calls = Of::process);
  // Three system calls, if this process has no children; one for programs.
  void before_calls();
  // Waits until no work is left. Nothing: there is no other thread, and no child that could work.
  std::optional<LateTail> after_calls();
  // Processes started since before_calls() that still run, as found by after_calls().
  std::size_t left() const { return left_; }
  std::size_t unawaited() const { return unawaited_; }
  // The same for threads of this process, which may sleep.
  std::size_t left_threads() const { return left_threads_; }
  // Those of them that did not exist at the previous after_calls(): others may have ended meanwhile.
  std::size_t new_threads() const { return new_threads_; }
  // The longest tail of spinning threads after a single call of an earlier job.
  double spins_s() const { return spins_s_; }
  void learn_spin(double lasted_s) { spins_s_ = std::max(spins_s_, lasted_s); }

 private:
  void note(const TreeTime& tree);
  void count_threads(std::size_t left);

  Of calls_;
  std::string children_;  // for programs: before the calls
  std::uint64_t threads_;
  std::map<int, double> known_;  // processor time of each process below this one, before the calls
  std::uint64_t threads_before_ = 0;
  std::size_t left_ = 0, unawaited_ = 0, left_threads_ = 0, new_threads_ = 0;
  std::vector<int> last_threads_;  // by the last after_calls() that counted them, ascending
  double spins_s_ = 0;
};

}  // namespace kernsweep
