// Settings of a process for which Linux has a call each: huge pages, the slack of timers, the policy of its
// memory, and more. A job may change them, and they would affect the next one.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace kernsweep {

class ProcessSettings {
 public:
  // One or two system calls for each.
  static ProcessSettings now();

  // Restores those that differ from these. Adds to `left` what cannot be restored, for display.
  void give_back(std::vector<std::string>& left) const;

 private:
  static constexpr std::size_t kCount = 11;
  std::array<long, kCount> values_{};
};

}  // namespace kernsweep
