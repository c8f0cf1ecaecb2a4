// Jobs that were reached and set aside, in the order in which they came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace kernsweep::coordinator {

// Consecutive indices are stored as one run of 16 bytes: a million jobs that fit no host are usually one
// run.
class IndexRuns {
 public:
  void push(std::uint64_t index) {
    if (!runs_.empty() && runs_.back().first + runs_.back().count == index) {
      ++runs_.back().count;
    } else {
      runs_.push_back({index, 1});
    }
    ++count_;
  }
  bool empty() const { return runs_.empty(); }
  std::uint64_t count() const { return count_; }
  std::size_t runs() const { return runs_.size(); }
  std::uint64_t front() const { return runs_.front().first; }
  std::uint64_t pop() {
    Run& run = runs_.front();
    const std::uint64_t index = run.first++;
    if (--run.count == 0) runs_.pop_front();
    --count_;
    return index;
  }
  void append(IndexRuns&& other) {
    runs_.insert(runs_.end(), other.runs_.begin(), other.runs_.end());
    count_ += other.count_;
    other = IndexRuns();
  }
  template <class Each>
  void each(const Each& each) const {
    for (const Run& run : runs_) {
      for (std::uint64_t i = 0; i < run.count; ++i) each(run.first + i);
    }
  }
  bool adds_up() const {  // for tests
    std::uint64_t sum = 0;
    for (const Run& run : runs_) sum += run.count;
    return sum == count_ && std::ranges::all_of(runs_, [](const Run& run) { return run.count > 0; });
  }

 private:
  friend struct TableBreaker;  // of tests
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  std::deque<Run> runs_;
  std::uint64_t count_ = 0;
};

// A job to be tried, with this attempt number. The entry is obsolete if the job has another number by now,
// or is with a worker that still had it and from which it was adopted.
struct Waiting {
  std::uint64_t index = 0;
  std::uint32_t number = 0;  // 0: it has no entry among the in-flight jobs
};

struct Backlog {
  std::deque<Waiting> again;  // retries; their numbers are not 0
  IndexRuns fresh;

  bool empty() const { return again.empty() && fresh.empty(); }
  std::uint64_t count() const { return again.size() + fresh.count(); }
  std::uint64_t front() const { return again.empty() ? fresh.front() : again.front().index; }
  // Takes retries first. This and front() require that the backlog is not empty.
  Waiting pop() {
    if (again.empty()) return {fresh.pop(), 0};
    const Waiting first = again.front();
    again.pop_front();
    return first;
  }
  void push(const Waiting& job) {
    if (job.number != 0) {
      again.push_back(job);
    } else {
      fresh.push(job.index);
    }
  }
  void append(Backlog&& other) {
    again.insert(again.end(), other.again.begin(), other.again.end());
    other.again.clear();
    fresh.append(static_cast<IndexRuns&&>(other.fresh));
  }
};

}  // namespace kernsweep::coordinator
