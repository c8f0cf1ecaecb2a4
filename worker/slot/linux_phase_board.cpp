#include <atomic>

#include "worker/slot/phase_board.hpp"

namespace kernsweep {

// Bits from the top: 47 for milliseconds, 1 for measuring, 16 for the number of jobs begun.
struct PhaseBoard::Page {
  std::atomic<std::uint64_t> word;
  std::atomic<std::int64_t> started_ns;
};

namespace {

constexpr std::size_t kBoardBytes = 4096;
constexpr std::uint64_t kMeasuring = 1U << 16;
constexpr int kTimeShift = 17;

std::uint64_t word_of(std::uint64_t jobs_begun, std::uint64_t measuring, Instant now) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.since_start).count();
  return static_cast<std::uint64_t>(since) << kTimeShift | measuring | (jobs_begun & 0xffff);
}

}  // namespace

Result<PhaseBoard> PhaseBoard::make() {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock cannot cross processes");
  auto memory = SharedMemory::make("kernsweep-phase", kBoardBytes);
  if (!memory) return failure("no memory to share with a slot: " + memory.error().message);
  PhaseBoard board(std::move(*memory));
  board.begin_start(monotonic_now());
  return board;
}

Result<PhaseBoard> PhaseBoard::open(int descriptor) {
  auto memory = SharedMemory::open(descriptor, kBoardBytes);
  if (!memory) return failure("the slot was started without a board to show its phase on");
  return PhaseBoard(std::move(*memory));
}

PhaseBoard::Page& PhaseBoard::page() const {
  return *static_cast<Page*>(memory_.data());
}

void PhaseBoard::begin_start(Instant now) {
  page().started_ns.store(now.since_start.count());
}

Instant PhaseBoard::started() const {
  return Instant{Duration(page().started_ns.load())};
}

void PhaseBoard::begin_job(Instant now) {
  page().word.store(word_of(page().word.load(std::memory_order_relaxed) + 1, 0, now));
}

void PhaseBoard::begin_measuring(Instant now) {
  page().word.store(word_of(page().word.load(std::memory_order_relaxed), kMeasuring, now));
}

SlotPhase PhaseBoard::read() const {
  const std::uint64_t word = page().word.load();
  return {static_cast<std::uint16_t>(word & 0xffff), (word & kMeasuring) != 0,
          Instant{std::chrono::milliseconds(word >> kTimeShift)}};
}

}  // namespace kernsweep
