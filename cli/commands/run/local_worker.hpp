// The worker of `run`: this program as `kernsweep worker` in a process of its own, so that the coordinator
// does not share a process with it. It proves its identity with a token that only this process gave to it.
#pragma once

#include <optional>
#include <string>

#include "coordinator/net/coordinator.hpp"
#include "worker/process/process.hpp"

namespace kernsweep {

class SpawnedWorker : public LocalWorker {
 public:
  // `options`: further options of `kernsweep worker`.
  SpawnedWorker(std::string endpoint, std::string token, std::vector<std::string> options);
  ~SpawnedWorker() override;

  Status start();
  int descriptor() const override;
  Result<std::string> restart() override;
  // Call after the coordinator has ended: waits one second for the worker to end, then kills it.
  void wait();

 private:
  static constexpr int kRestartsMax = 5;

  const std::string endpoint_;
  const std::string token_;
  const std::vector<std::string> options_;
  std::optional<Child> child_;
  int restarts_ = 0;
};

}  // namespace kernsweep
