// Checks GPUs that may be lost, each in a process of its own (`kernsweep-slot --try-gpu`), because a driver
// may crash on a dead card, or never return. No function waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "worker/core/core.hpp"
#include "worker/process/process.hpp"

namespace kernsweep::worker {

class GpuLooks {
 public:
  GpuLooks() = default;
  GpuLooks(const GpuLooks&) = delete;
  GpuLooks& operator=(const GpuLooks&) = delete;
  ~GpuLooks();  // kills the processes

  // `gpu`: its number in GpuSeen. A GPU whose check has no answer within 90 s is lost.
  void begin(std::uint32_t gpu, const std::string& uuid, Instant now);
  // The answers that have arrived since the last call.
  std::vector<GpuSeen> take(Instant now);

  std::vector<int> descriptors() const;  // a poll should wait for these
  std::optional<Instant> next_deadline() const;

 private:
  struct Look {
    std::uint32_t gpu = 0;
    Child child;
    Instant until;
    bool given_up = false;  // killed, and to be reaped
  };

  std::vector<Look> looks_;
  std::vector<GpuSeen> known_;  // answers for processes that could not be started
};

}  // namespace kernsweep::worker
