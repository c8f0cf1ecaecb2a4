// The system calls, with events that each Linux has: page faults, which a test can cause one by one.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <thread>

#include "worker/host/counters.hpp"

namespace kernsweep {
namespace {

constexpr CounterKind kSoftware[] = {{"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
                                     {"major", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ}};

// Pages that are not there: writing to each is one fault.
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * static_cast<std::size_t>(getpagesize())) {
    void* const got = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    at_ = static_cast<volatile char*>(got);
    madvise(got, bytes_, MADV_NOHUGEPAGE);
    touch();  // with all else that this needs
    drop();
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(const_cast<char*>(at_), bytes_); }
  void touch() {
    for (std::size_t i = 0; i < bytes_; i += static_cast<std::size_t>(getpagesize())) at_[i] = 1;
  }
  void drop() { madvise(const_cast<char*>(at_), bytes_, MADV_DONTNEED); }

 private:
  std::size_t bytes_;
  volatile char* at_ = nullptr;
};

class LinuxCounters : public testing::Test {
 protected:
  // Opens them, and makes what switching them needs be there. False: a container forbids it.
  bool open() {
    counters_.open();
    counters_.on();
    counters_.off();
    counters_.open();
    return counters_.missing().empty();
  }
  double faults() {
    const CounterTotals totals = counters_.totals();
    EXPECT_EQ(totals.events.size(), 2u);
    EXPECT_EQ(totals.counted_share, 1);
    return totals.events.empty() ? -1 : totals.events.front().count;
  }

  std::unique_ptr<CounterSystem> system_ = system_counters();
  Counters counters_{*system_, kSoftware};
};

TEST_F(LinuxCounters, CountEachPageThatEachThreadTouchesWhileTheyAreOn) {
  constexpr std::size_t kEach[] = {100, 30, 7};
  Pages own(kEach[0]);
  std::barrier<> together(3);
  std::vector<std::thread> others;
  for (const std::size_t count : {kEach[1], kEach[2]}) {
    others.emplace_back([&together, count] {
      Pages pages(count);
      together.arrive_and_wait();
      together.arrive_and_wait();  // they are on
      pages.touch();
      together.arrive_and_wait();
      together.arrive_and_wait();  // they are off
      pages.drop();
      pages.touch();
    });
  }
  together.arrive_and_wait();
  const bool may = open();
  counters_.on();
  together.arrive_and_wait();
  own.touch();
  together.arrive_and_wait();
  counters_.off();
  together.arrive_and_wait();
  for (std::thread& each : others) each.join();
  own.drop();
  own.touch();
  if (!may) GTEST_SKIP() << counters_.missing().front().why;
  // A few more where a thread meets a page of its stack, of the program or of a sanitizer for the first
  // time.
  EXPECT_GE(faults(), 137);
  EXPECT_LT(faults(), 137 + 30);
}

TEST_F(LinuxCounters, CountAThreadThatComesLaterAndHasEnded) {
  Pages pages(500);
  if (!open()) GTEST_SKIP() << counters_.missing().front().why;
  counters_.on();
  std::thread([&] { pages.touch(); }).join();
  counters_.off();
  EXPECT_GE(faults(), 500) << "with those of its stack";
}

// One process lives when they are opened, the other one comes later.
TEST_F(LinuxCounters, CountProcessesThatThisOneHasStarted) {
  int go[2], done[2];
  ASSERT_EQ(pipe(go) + pipe(done), 0);
  char byte = 0;
  const auto start = [&](std::size_t count) {
    const pid_t child = fork();
    if (child != 0) return child;
    Pages pages(count);
    if (write(done[1], "", 1) == 1 && read(go[0], &byte, 1) == 1) pages.touch();
    if (write(done[1], "", 1) == 1) pause();
    _exit(0);
  };
  const auto wait_for_child = [&] { return read(done[0], &byte, 1) == 1; };
  const pid_t first = start(3000);
  ASSERT_TRUE(wait_for_child());
  const bool may = open();
  counters_.on();
  EXPECT_TRUE(write(go[1], "", 1) == 1 && wait_for_child());
  counters_.off();
  const double of_first = may ? faults() : 0;
  counters_.on();
  const pid_t second = start(5000);
  EXPECT_TRUE(wait_for_child() && write(go[1], "", 1) == 1 && wait_for_child());
  counters_.off();
  for (const pid_t child : {first, second}) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  for (const int end : {go[0], go[1], done[0], done[1]}) close(end);
  if (!may) GTEST_SKIP() << counters_.missing().front().why;
  EXPECT_GE(of_first, 3000);
  EXPECT_LT(of_first, 5000);
  EXPECT_GE(faults(), of_first + 2 * 5000) << "it touches them twice";
}

}  // namespace
}  // namespace kernsweep
