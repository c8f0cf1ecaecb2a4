// The largest resident size of this process during one job. Linux keeps one maximum for the life of a
// process, which the process can reset (proc(5): "5" into /proc/PID/clear_refs). If the reset fails, only
// the first job of a process has a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernsweep {

// VmHWM of a /proc/PID/status, in bytes. Nothing: there is no such line.
std::optional<std::uint64_t> peak_of_status(std::string_view status);

class PeakMemory {
 public:
  // The files of this process; tests use others.
  explicit PeakMemory(std::string clear_refs = "/proc/self/clear_refs",
                      std::string status = "/proc/self/status")
      : clear_refs_(std::move(clear_refs)), status_(std::move(status)) {}

  // Must be called at the start of each job. `wanted`: whether bytes() will be called; false costs nothing.
  void begin_job(bool wanted);
  // Maximum since the last begin_job(true). Nothing if it would include earlier jobs, or is not readable.
  std::optional<std::uint64_t> bytes() const;

 private:
  bool set_back() const;

  std::string clear_refs_, status_;
  bool is_first_ = true;
  bool own_ = false;  // the maximum belongs to the current job alone
};

}  // namespace kernsweep
