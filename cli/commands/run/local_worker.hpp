// The worker that `run` starts: this same program as `kernsweep worker`, in a process of its own, so that
// nothing of the coordinator runs where kernels are measured. It shows a token that only we have told it.
#pragma once

#include <optional>
#include <string>

#include "coordinator/net/coordinator.hpp"
#include "worker/process/process.hpp"

namespace kernsweep {

class SpawnedWorker : public LocalWorker {
 public:
  // `options`: of `kernsweep worker`.
  SpawnedWorker(std::string endpoint, std::string token, std::vector<std::string> options);
  ~SpawnedWorker() override;

  Status start();
  int descriptor() const override;
  Result<std::string> restart() override;
  // After the coordinator's goodbye: waits for it to end by itself, for a second, then kills it.
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
