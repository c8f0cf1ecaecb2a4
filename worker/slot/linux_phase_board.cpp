#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "worker/slot/phase_board.hpp"

namespace kernsweep {

// Bits from the top: 47 for milliseconds, 1 for measuring, 16 for the number of jobs begun.
struct PhaseBoard::Page {
  std::atomic<std::uint64_t> word;
};

namespace {

constexpr std::size_t kBoardBytes = 4096;
constexpr std::uint64_t kMeasuring = 1U << 16;
constexpr int kTimeShift = 17;

std::uint64_t word_of(std::uint64_t jobs_begun, std::uint64_t measuring, Instant now) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.since_start).count();
  return static_cast<std::uint64_t>(since) << kTimeShift | measuring | (jobs_begun & 0xffff);
}

void* map(int descriptor) {
  void* const page = mmap(nullptr, kBoardBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return page == MAP_FAILED ? nullptr : page;
}

}  // namespace

Result<PhaseBoard> PhaseBoard::make() {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock cannot cross processes");
  const int descriptor = memfd_create("kernsweep-phase", MFD_CLOEXEC);
  void* const page = descriptor >= 0 && ftruncate(descriptor, kBoardBytes) == 0 ? map(descriptor) : nullptr;
  if (!page) {
    const std::string reason = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    return failure("no memory to share with a slot: " + reason);
  }
  return PhaseBoard(descriptor, static_cast<Page*>(page));
}

Result<PhaseBoard> PhaseBoard::open(int descriptor) {
  struct stat about {};
  const bool whole = fstat(descriptor, &about) == 0 && about.st_size == kBoardBytes;
  void* const page = whole ? map(descriptor) : nullptr;
  close(descriptor);
  if (!page) return failure("the slot was started without a board to show its phase on");
  return PhaseBoard(-1, static_cast<Page*>(page));
}

PhaseBoard::PhaseBoard(PhaseBoard&& other) noexcept {
  *this = std::move(other);
}

PhaseBoard& PhaseBoard::operator=(PhaseBoard&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(page_, other.page_);
  return *this;
}

PhaseBoard::~PhaseBoard() {
  if (page_) munmap(page_, kBoardBytes);
  if (descriptor_ >= 0) close(descriptor_);
}

void PhaseBoard::begin_job(Instant now) {
  page_->word.store(word_of(page_->word.load(std::memory_order_relaxed) + 1, 0, now));
}

void PhaseBoard::begin_measuring(Instant now) {
  page_->word.store(word_of(page_->word.load(std::memory_order_relaxed), kMeasuring, now));
}

SlotPhase PhaseBoard::read() const {
  const std::uint64_t word = page_->word.load();
  return {static_cast<std::uint16_t>(word & 0xffff), (word & kMeasuring) != 0,
          Instant{std::chrono::milliseconds(word >> kTimeShift)}};
}

}  // namespace kernsweep
