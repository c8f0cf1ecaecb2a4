#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "shared/base/rules.hpp"
#include "worker/slot/copies/round_board.hpp"
#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {

// Data written by different processes is on different cache lines.
struct RoundBoard::Page {
  struct alignas(64) Begun {
    std::atomic<std::uint64_t> rounds;
    RoundTask task;
    std::uint64_t count;
  } begun;
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> count;
  } done, told, failed;
  struct alignas(64) Used {
    std::atomic<double> took_s, waited_s;
    std::atomic<std::uint64_t> switches, major_faults, minor_faults;
  } used[kCopiesOfJobMax];
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

}  // namespace

Result<RoundBoard> RoundBoard::make(std::uint32_t copies) {
  if (copies < 1 || copies > kCopiesOfJobMax)
    return failure("a job has 1 to " + std::to_string(kCopiesOfJobMax) + " copies, not " +
                   std::to_string(copies));
  auto memory = SharedMemory::make("kernsweep-rounds", sizeof(Page));
  if (!memory) return failure("no memory to share with the copies of a job: " + memory.error().message);
  new (memory->data()) Page{};
  return RoundBoard(std::move(*memory), 0, copies);
}

Result<RoundBoard> RoundBoard::open(int descriptor, std::uint32_t copy, std::uint32_t copies) {
  auto memory = SharedMemory::open(descriptor, sizeof(Page));
  if (!memory || copy < 1 || copy >= copies || copies > kCopiesOfJobMax)
    return failure("the copy of a job was started without a board to read its rounds from");
  return RoundBoard(std::move(*memory), copy, copies);
}

RoundBoard::Page& RoundBoard::page() const {
  return *static_cast<Page*>(memory_.data());
}

void RoundBoard::begin(const Round& round) {
  page().begun.task = round.task;
  page().begun.count = round.count;
  page().begun.rounds.store(++seen_, std::memory_order_release);
}

bool RoundBoard::is_over() const {
  const bool over = page().done.count.load(std::memory_order_acquire) >= seen_ * (copies_ - 1);
  if (!over) pause_briefly();
  return over;
}

bool RoundBoard::failed() const {
  return page().failed.count.load(std::memory_order_relaxed) > 0;
}

void RoundBoard::reset() {
  if (copy_ == 0)
    for (auto* const counter :
         {&page().begun.rounds, &page().done.count, &page().told.count, &page().failed.count})
      counter->store(0);
  seen_ = 0;
}

double RoundBoard::longest_s() const {
  double out = 0;
  for (std::uint32_t copy = 1; copy < copies_; ++copy)
    out = std::max(out, page().used[copy].took_s.load(std::memory_order_relaxed));
  return out;
}

CopiesUse RoundBoard::use() const {
  const Instant begun = monotonic_now();
  while (page().told.count.load(std::memory_order_acquire) < page().done.count.load() &&
         monotonic_now() - begun < kLooking)
    pause_briefly();
  CopiesUse out;
  for (std::uint32_t copy = 1; copy < copies_; ++copy) {
    const Page::Used& used = page().used[copy];
    out.involuntary_switches += used.switches.load(std::memory_order_relaxed);
    out.major_faults += used.major_faults.load(std::memory_order_relaxed);
    out.minor_faults += used.minor_faults.load(std::memory_order_relaxed);
    out.waited_s += used.waited_s.load(std::memory_order_relaxed);
  }
  return out;
}

Round RoundBoard::next() {
  Instant begun = monotonic_now();
  for (std::uint32_t looks = 1; page().begun.rounds.load(std::memory_order_acquire) == seen_; ++looks) {
    pause_briefly();
    if (looks % 1024 != 0 || monotonic_now() - begun < kLooking) continue;
    while (page().begun.rounds.load(std::memory_order_acquire) == seen_)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  ++seen_;
  return {page().begun.task, page().begun.count};
}

void RoundBoard::done(bool good, double took_s) {
  page().used[copy_].took_s.store(took_s, std::memory_order_relaxed);
  if (!good) page().failed.count.fetch_add(1, std::memory_order_relaxed);
  page().done.count.fetch_add(1, std::memory_order_release);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  Page::Used& used = page().used[copy_];
  used.switches.store(static_cast<std::uint64_t>(usage.ru_nivcsw), std::memory_order_relaxed);
  used.major_faults.store(static_cast<std::uint64_t>(usage.ru_majflt), std::memory_order_relaxed);
  used.minor_faults.store(static_cast<std::uint64_t>(usage.ru_minflt), std::memory_order_relaxed);
  used.waited_s.store(std::max(0.0, schedule_of_this_thread().waited_s), std::memory_order_relaxed);
  page().told.count.fetch_add(1, std::memory_order_release);
}

}  // namespace kernsweep
