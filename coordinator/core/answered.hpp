// The jobs that have their outcome from earlier runs; passed to the core once, when a sweep is submitted.
//
// One bit per job, in chunks of 32768 bits. A chunk is allocated when its first bit is set; a full chunk
// needs no bits. So a sweep of 100 million jobs takes at most 12.5 MB, and much less if its jobs were
// answered in order.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <vector>

namespace kernsweep::coordinator {

class AnsweredJobs {
 public:
  AnsweredJobs() = default;
  AnsweredJobs(std::initializer_list<std::uint64_t> jobs) {  // of host 0
    for (const std::uint64_t job : jobs) add(job);
  }

  // `host`: 0 with hosts: any, else the number of the job's host. In any order; a job that is added twice
  // counts once.
  void add(std::uint64_t job, std::uint32_t host = 0) { add_run(job, job, host); }
  // All jobs from `first` to `last`, both included. Requires first <= last.
  void add_run(std::uint64_t first, std::uint64_t last, std::uint32_t host = 0);

  bool contains(std::uint64_t job, std::uint32_t host = 0) const;
  std::uint64_t count() const { return count_; }
  // Calls `each` for runs of consecutive jobs, ascending; no run crosses the end of a chunk.
  using Each = std::function<void(std::uint32_t host, std::uint64_t first, std::uint64_t last)>;
  void each_run(const Each& each) const;

 private:
  static constexpr std::uint64_t kChunkBits = 32768;
  struct Chunk {
    std::vector<std::uint64_t> words;  // empty: all bits are set
    std::uint32_t count = 0;
  };
  using Chunks = std::map<std::uint64_t, Chunk>;  // by job / kChunkBits

  void add_within(Chunk& chunk, std::uint64_t from, std::uint64_t end);

  std::map<std::uint32_t, Chunks> hosts_;
  std::uint64_t count_ = 0;
};

}  // namespace kernsweep::coordinator
