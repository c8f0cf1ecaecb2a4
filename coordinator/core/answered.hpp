// The jobs that an earlier run has answered: told to the core once, when a sweep is submitted.
//
// A bit each, in chunks of 32768 that are made when they are needed, and none at all for a chunk that is
// full. So a sweep of 100 million jobs, however few of them are missing and wherever, takes at most 12.5
// MB; one that was answered in its order takes nothing to speak of.
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

  // `host`: 0 with hosts: any, else the number of the host that the job is for. In any order; what is told
  // twice counts once.
  void add(std::uint64_t job, std::uint32_t host = 0) { add_run(job, job, host); }
  // All from `first` to `last`, which is one of them. Requires first <= last.
  void add_run(std::uint64_t first, std::uint64_t last, std::uint32_t host = 0);

  bool contains(std::uint64_t job, std::uint32_t host = 0) const;
  std::uint64_t count() const { return count_; }
  // Ascending runs of jobs that follow each other; a run ends at the end of a chunk at the latest.
  using Each = std::function<void(std::uint32_t host, std::uint64_t first, std::uint64_t last)>;
  void each_run(const Each& each) const;

 private:
  static constexpr std::uint64_t kChunkBits = 32768;
  struct Chunk {
    std::vector<std::uint64_t> words;  // none: all bits are set
    std::uint32_t count = 0;
  };
  using Chunks = std::map<std::uint64_t, Chunk>;  // by job / kChunkBits

  void add_within(Chunk& chunk, std::uint64_t from, std::uint64_t end);

  std::map<std::uint32_t, Chunks> hosts_;
  std::uint64_t count_ = 0;
};

}  // namespace kernsweep::coordinator
