// One life of a real coordinator, in a thread of its own, that peers of this process speak to; and the
// database that its next life finds.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "coordinator/net/coordinator.hpp"

namespace kernsweep::fuzz {

class Life : Watcher {
 public:
  // `database`: of an earlier life, or not there.
  Life(std::string endpoint, std::string database, std::shared_ptr<const Expansion> own);
  ~Life() override;  // stops it, and asks for the reason if it ended badly

  const std::string& endpoint() const { return config_.endpoints.front(); }
  bool ended() const { return ended_.load(); }

 private:
  void begun(std::uint64_t) override {}
  void progress(const Progress&) override {}
  void note(const std::string&) override {}

  CoordinatorConfig config_;
  std::atomic<bool> listening_{false};
  std::atomic<bool> ended_{false};
  std::optional<Result<CoordinatorSummary>> summary_;
  std::thread thread_;
};

}  // namespace kernsweep::fuzz
