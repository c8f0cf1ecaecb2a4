// Shared memory by which the copies of a job work in rounds: the first copy starts a round, each copy does
// the same task, and the round ends when the last one is ready. A round needs no message and no system
// call, so it costs well below a microsecond in addition to the task.
//
// The first copy makes the board and owns its descriptor; the others inherit it as kRoundsDescriptor. They
// poll for a round: without a pause for kLooking, because they own their cores, and after that every 50 us.
#pragma once

#include <cstdint>
#include <utility>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"
#include "shared/base/shared_memory.hpp"

namespace kernsweep {

constexpr int kRoundsDescriptor = 5;
constexpr Duration kLooking = std::chrono::milliseconds(20);

// run: `count` calls. evict: empty the caches. restore: write operands back. keep: the last `count` rounds
// of calls were the samples. end: no more rounds.
enum class RoundTask : std::uint32_t { run, evict, restore, keep, end };
struct Round {
  RoundTask task = RoundTask::end;
  std::uint64_t count = 0;
};

// The use of the other copies together, since they were started.
struct CopiesUse {
  std::uint64_t involuntary_switches = 0, major_faults = 0, minor_faults = 0;
  double waited_s = 0;  // as in ThreadSchedule
};

class RoundBoard {
 public:
  // For the first copy of `copies`. Error: no memory or no descriptor left.
  static Result<RoundBoard> make(std::uint32_t copies);
  // For another copy: maps the board of an inherited descriptor, and closes that. `copy` counts from 1.
  // Error: it is not a board for this number of copies.
  static Result<RoundBoard> open(int descriptor, std::uint32_t copy, std::uint32_t copies);

  int descriptor() const { return memory_.descriptor(); }  // -1: opened from one

  // Must be called in each process before the rounds of a job: rounds count from 0. The first copy calls it
  // while no other one is between its own reset() and the round `end`, for which done() is not called.
  void reset();
  // For the first copy. begin() starts a round; is_over() returns whether all others are ready; failed()
  // whether a task of this job has failed.
  void begin(const Round& round);
  bool is_over() const;
  bool failed() const;
  // The largest number of seconds of the other copies in the last round.
  double longest_s() const;
  // Waits, for less than a microsecond after a round, until the others have written their use.
  CopiesUse use() const;

  // For another copy: waits for the next round without limit. This is safe, because the end of the first
  // copy ends this process (PDEATHSIG).
  Round next();
  // The task is done, and took this number of seconds by the clock that counts; then writes the use of this
  // process.
  void done(bool good, double took_s = 0);

 private:
  struct Page;
  RoundBoard(SharedMemory memory, std::uint32_t copy, std::uint32_t copies)
      : memory_(std::move(memory)), copy_(copy), copies_(copies) {}
  Page& page() const;

  SharedMemory memory_;
  std::uint32_t copy_, copies_;
  std::uint64_t seen_ = 0;  // rounds
};

}  // namespace kernsweep
