// The largest resident size of this process during one job. Linux keeps one for the whole life of a process
// and lets the process itself set it back (proc(5): "5" into /proc/PID/clear_refs); where it does not, only
// the first job of a process has one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernsweep {

// VmHWM of a /proc/PID/status, in bytes. Nothing: it is not there.
std::optional<std::uint64_t> peak_of_status(std::string_view status);

class PeakMemory {
 public:
  // Files of the process; other ones for tests.
  explicit PeakMemory(std::string clear_refs = "/proc/self/clear_refs",
                      std::string status = "/proc/self/status")
      : clear_refs_(std::move(clear_refs)), status_(std::move(status)) {}

  // At the start of each job. `wanted`: bytes() will be asked for; a job that does not want it pays
  // nothing.
  void begin_job(bool wanted);
  // Since the last begin_job(true). Nothing: it would be that of earlier jobs too, or is not readable.
  std::optional<std::uint64_t> bytes() const;

 private:
  bool set_back() const;

  std::string clear_refs_, status_;
  bool is_first_ = true;
  bool own_ = false;  // what the system keeps is of this job alone
};

}  // namespace kernsweep
