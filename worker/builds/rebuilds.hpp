// Builds commands again, several at the same time, to compare the files with earlier ones. Removes no
// earlier build, because the caller may be running it. One caller at a time; interrupt() from any thread.
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
  // `host`: as for Builder. `cpus`: every build may use all of them; their number is also the number of
  // builds at a time. `memory_max`: as in BuildTask.
  Rebuilds(std::string host, std::vector<std::uint32_t> cpus, std::uint64_t memory_max)
      : host_(std::move(host)), cpus_(std::move(cpus)), memory_max_(memory_max) {}

  // The hash of the file that each command builds now. A command that fails, or exceeds kLimit, is left
  // out.
  std::map<std::string, std::string> hashes_of(const std::set<std::string>& commands);
  std::size_t left() const { return left_; }  // of the current call; from any thread
  // Ends running builds, and prevents further ones. Has no effect without a descriptor of the system.
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
