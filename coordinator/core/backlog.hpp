// Jobs that were met and set aside, in the order in which they came.
#pragma once

#include <cstdint>
#include <deque>

namespace kernsweep::coordination {

// Neighbours are kept as one run of 16 bytes: a million jobs that fit no host are usually one run.
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

 private:
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  std::deque<Run> runs_;
  std::uint64_t count_ = 0;
};

struct Backlog {
  std::deque<std::uint64_t> again;  // have been tried: their attempt number is in the flights
  IndexRuns fresh;

  bool empty() const { return again.empty() && fresh.empty(); }
  std::uint64_t count() const { return again.size() + fresh.count(); }
  void append(Backlog&& other) {
    again.insert(again.end(), other.again.begin(), other.again.end());
    other.again.clear();
    fresh.append(static_cast<IndexRuns&&>(other.fresh));
  }
};

}  // namespace kernsweep::coordination
