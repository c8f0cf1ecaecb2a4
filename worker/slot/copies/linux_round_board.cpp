#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "worker/slot/copies/round_board.hpp"

namespace kernsweep {

// What is written by different processes lies on different lines of the cache.
struct RoundBoard::Page {
  static constexpr std::uint32_t kCopiesMax = 1024;
  struct alignas(64) Begun {
    std::atomic<std::uint64_t> rounds;
    RoundTask task;
    std::uint64_t count;
  } begun;
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> count;
  } done, told, failed;
  struct alignas(64) Used {
    std::atomic<double> took_s;
    std::atomic<std::uint64_t> switches, major_faults, minor_faults;
  } used[kCopiesMax];
};

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock cannot cross processes");

inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void* map(int descriptor, std::size_t bytes) {
  void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return page == MAP_FAILED ? nullptr : page;
}

}  // namespace

Result<RoundBoard> RoundBoard::make(std::uint32_t copies) {
  if (copies < 1 || copies > Page::kCopiesMax)
    return failure("a job has 1 to " + std::to_string(Page::kCopiesMax) + " copies, not " +
                   std::to_string(copies));
  const int descriptor = memfd_create("kernsweep-rounds", MFD_CLOEXEC);
  void* const page =
      descriptor >= 0 && ftruncate(descriptor, sizeof(Page)) == 0 ? map(descriptor, sizeof(Page)) : nullptr;
  if (!page) {
    const std::string reason = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    return failure("no memory to share with the copies of a job: " + reason);
  }
  return RoundBoard(descriptor, new (page) Page{}, 0, copies);
}

Result<RoundBoard> RoundBoard::open(int descriptor, std::uint32_t copy, std::uint32_t copies) {
  struct stat about {};
  const bool whole = fstat(descriptor, &about) == 0 && about.st_size == sizeof(Page) && copy >= 1 &&
                     copy < copies && copies <= Page::kCopiesMax;
  void* const page = whole ? map(descriptor, sizeof(Page)) : nullptr;
  close(descriptor);
  if (!page) return failure("the copy of a job was started without a board to read its rounds from");
  return RoundBoard(-1, static_cast<Page*>(page), copy, copies);
}

RoundBoard::RoundBoard(RoundBoard&& other) noexcept {
  *this = std::move(other);
}

RoundBoard& RoundBoard::operator=(RoundBoard&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(page_, other.page_);
  copy_ = other.copy_;
  copies_ = other.copies_;
  seen_ = other.seen_;
  return *this;
}

RoundBoard::~RoundBoard() {
  if (page_) munmap(page_, sizeof(Page));
  if (descriptor_ >= 0) close(descriptor_);
}

void RoundBoard::begin(const Round& round) {
  page_->begun.task = round.task;
  page_->begun.count = round.count;
  page_->begun.rounds.store(++seen_, std::memory_order_release);
}

bool RoundBoard::is_over() const {
  const bool over = page_->done.count.load(std::memory_order_acquire) >= seen_ * (copies_ - 1);
  if (!over) pause_briefly();
  return over;
}

bool RoundBoard::failed() const {
  return page_->failed.count.load(std::memory_order_relaxed) > 0;
}

void RoundBoard::reset() {
  if (copy_ == 0)
    for (auto* const counter :
         {&page_->begun.rounds, &page_->done.count, &page_->told.count, &page_->failed.count})
      counter->store(0);
  seen_ = 0;
}

double RoundBoard::longest_s() const {
  double out = 0;
  for (std::uint32_t copy = 1; copy < copies_; ++copy)
    out = std::max(out, page_->used[copy].took_s.load(std::memory_order_relaxed));
  return out;
}

CopiesUse RoundBoard::use() const {
  const Instant begun = monotonic_now();
  while (page_->told.count.load(std::memory_order_acquire) < page_->done.count.load() &&
         monotonic_now() - begun < kLooking)
    pause_briefly();
  CopiesUse out;
  for (std::uint32_t copy = 1; copy < copies_; ++copy) {
    const Page::Used& used = page_->used[copy];
    out.involuntary_switches += used.switches.load(std::memory_order_relaxed);
    out.major_faults += used.major_faults.load(std::memory_order_relaxed);
    out.minor_faults += used.minor_faults.load(std::memory_order_relaxed);
  }
  return out;
}

Round RoundBoard::next() {
  Instant begun = monotonic_now();
  for (std::uint32_t looks = 1; page_->begun.rounds.load(std::memory_order_acquire) == seen_; ++looks) {
    pause_briefly();
    if (looks % 1024 != 0 || monotonic_now() - begun < kLooking) continue;
    while (page_->begun.rounds.load(std::memory_order_acquire) == seen_)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  ++seen_;
  return {page_->begun.task, page_->begun.count};
}

void RoundBoard::done(bool good, double took_s) {
  page_->used[copy_].took_s.store(took_s, std::memory_order_relaxed);
  if (!good) page_->failed.count.fetch_add(1, std::memory_order_relaxed);
  page_->done.count.fetch_add(1, std::memory_order_release);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  Page::Used& used = page_->used[copy_];
  used.switches.store(static_cast<std::uint64_t>(usage.ru_nivcsw), std::memory_order_relaxed);
  used.major_faults.store(static_cast<std::uint64_t>(usage.ru_majflt), std::memory_order_relaxed);
  used.minor_faults.store(static_cast<std::uint64_t>(usage.ru_minflt), std::memory_order_relaxed);
  page_->told.count.fetch_add(1, std::memory_order_release);
}

}  // namespace kernsweep
