// Shows the activity of a slot, for its worker to read when a time limit may be exceeded.
//
// A slot sends nothing while it works, so that only the kernel runs in a timed section. Instead it writes
// each step to the board: one page of memory that slot and worker share, one store per step, no system
// call. The worker reads it only when a job may have exceeded timeout.setup or timeout.run. Why not
// messages: a slot that hangs sends none, and short jobs would need three times as many. The state is one
// 64-bit word, so it is always read whole.
//
// The worker makes the board and owns its descriptor; the slot inherits it as kBoardDescriptor. The slot
// writes from one thread. A faulty kernel can overwrite the board, so its content is only a hint about time
// and about which job is at fault; nothing else may depend on it.
#pragma once

#include <cstdint>
#include <utility>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"
#include "shared/base/shared_memory.hpp"

namespace kernsweep {

constexpr int kBoardDescriptor = 4;

struct SlotPhase {
  std::uint16_t jobs_begun = 0;  // since the process started, modulo 65,536
  bool measuring = false;        // true: warm-up and samples; false: set-up and verification
  Instant since;                 // when this phase began, to a millisecond; the host's monotonic clock
};

class PhaseBoard {
 public:
  // For the worker: a new, empty board. Error: no memory or no descriptor left.
  static Result<PhaseBoard> make();
  // For the slot: maps the board of an inherited descriptor, and closes the descriptor. Error: it is not a
  // board.
  static Result<PhaseBoard> open(int descriptor);

  int descriptor() const { return memory_.descriptor(); }  // -1: opened from one

  // The start of the slot's process. make() calls it for the first one.
  void begin_start(Instant now);
  Instant started() const;  // time of that start, to a nanosecond

  void begin_job(Instant now);
  void begin_measuring(Instant now);
  SlotPhase read() const;

 private:
  struct Page;
  explicit PhaseBoard(SharedMemory memory) : memory_(std::move(memory)) {}
  Page& page() const;

  SharedMemory memory_;
};

}  // namespace kernsweep
