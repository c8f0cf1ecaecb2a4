// Where a slot is right now, for its worker to look at when a limit is near.
//
// A slot says nothing while it works, so that nothing but the kernel runs in a timed section. It chalks
// each step on a board instead: one page that slot and worker both map, one store per step, no system call.
// The worker reads it only when a job may have overstayed (timeout.setup, timeout.run). Why not messages: a
// slot that hangs sends none, and short jobs would cost three times as many. One 64-bit word holds it all,
// so nothing is ever read half.
//
// The worker makes the board and owns its descriptor; the slot inherits it as kBoardDescriptor. The slot
// writes from one thread. A kernel that has gone wild can scribble on the board: what is read is a hint
// about time and blame, nothing else may depend on it.
#pragma once

#include <cstdint>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

constexpr int kBoardDescriptor = 4;

struct SlotPhase {
  std::uint16_t jobs_begun = 0;  // since the process started, modulo 65,536
  bool measuring = false;        // warm-up and samples; otherwise set-up and verification
  Instant since;                 // of the newest job's phase, to a millisecond; the host's monotonic clock
};

class PhaseBoard {
 public:
  // Worker: a new, blank board. Error: no memory or no descriptor left.
  static Result<PhaseBoard> make();
  // Slot: the board behind an inherited descriptor, which is closed. Error: it is not a board.
  static Result<PhaseBoard> open(int descriptor);

  PhaseBoard(PhaseBoard&& other) noexcept;
  PhaseBoard& operator=(PhaseBoard&& other) noexcept;
  PhaseBoard(const PhaseBoard&) = delete;
  ~PhaseBoard();

  int descriptor() const { return descriptor_; }  // -1: opened from one

  void begin_job(Instant now);
  void begin_measuring(Instant now);
  SlotPhase read() const;

 private:
  struct Chalk;
  PhaseBoard(int descriptor, Chalk* chalk) : descriptor_(descriptor), chalk_(chalk) {}

  int descriptor_ = -1;
  Chalk* chalk_ = nullptr;
};

}  // namespace kernsweep
