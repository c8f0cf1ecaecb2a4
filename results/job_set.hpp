// The jobs of one sweep that have their outcome already: what `resume` leaves out.
//
// Jobs are mostly finished in their order, so they are kept as runs of consecutive indices: a finished
// sweep of 100 million jobs is one run. Asking costs a binary search over the runs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "shared/ids.hpp"

namespace kernsweep {

class JobSet {
 public:
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  // included
    friend bool operator==(const Run&, const Run&) = default;
  };

  // Jobs of one host must be added in ascending order; an index equal to the last one is ignored.
  void add(std::uint64_t index, std::uint32_t host);
  bool contains(std::uint64_t index, std::uint32_t host) const;
  std::uint64_t count() const { return count_; }
  // The hosts that have jobs here, ascending.
  std::vector<std::uint32_t> hosts() const;
  // Ascending, disjoint, not adjacent; empty for a host without jobs.
  const std::vector<Run>& runs(std::uint32_t host) const;

 private:
  std::map<std::uint32_t, std::vector<Run>> runs_;
  std::uint64_t count_ = 0;
};

}  // namespace kernsweep
