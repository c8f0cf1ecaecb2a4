// Builds commands again, several at the same time, to compare what they write with what they wrote before.
// Removes nothing that was built before: the caller may be running it.
// One caller at a time; interrupt() from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "shared/base/wake_up.hpp"
#include "worker/builds/builder.hpp"

namespace kernsweep {

class Rebuilds {
 public:
  // `host`: as for Builder. `cpus`: every build may use all of them; as many builds run at a time.
  // `memory_max`: as in BuildTask.
  Rebuilds(std::string host, std::vector<std::uint32_t> cpus, std::uint64_t memory_max)
      : host_(std::move(host)), cpus_(std::move(cpus)), memory_max_(memory_max) {}

  // The hash of the file that each command builds now. What cannot be built within kLimit is left out.
  std::map<std::string, std::string> hashes_of(const std::set<std::string>& commands);
  std::size_t left() const { return left_; }  // of the present call; from any thread
  // Ends what runs; from now on nothing is built. Without a descriptor of the system nothing is ended.
  void interrupt() {
    if (ending_) ending_->wake();
  }

  static constexpr Duration kLimit = std::chrono::minutes(5);

 private:
  const std::string host_;
  const std::vector<std::uint32_t> cpus_;
  const std::uint64_t memory_max_;
  std::atomic<std::size_t> left_ = 0;
  const Result<WakeUp> ending_ = WakeUp::make();
};

}  // namespace kernsweep
