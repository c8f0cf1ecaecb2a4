// The workers that are here: what they offer, when they were heard, how much they may hold.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "coordinator/core/core.hpp"
#include "coordinator/core/stream.hpp"

namespace kernsweep::coordination {

struct Worker {
  WorkerId id;
  HostFacts host;
  HostKind kind = 0;
  Instant heard;
  Instant beat;              // our last heartbeat to it
  Instant rests_until;       // it gave jobs back unasked: it gets none for a while
  std::uint32_t held = 0;    // jobs that it has been sent and not answered
  double mean_busy_s = 0.0;  // weighted mean of its jobs' busy time; 0: no job yet

  void observe(Duration busy);
  // Jobs that it should hold: credit_time of work, at least two per core.
  std::uint32_t target(const CoreOptions& options) const;
  // It is refilled when it holds less than this: half of a large target, so that jobs travel in batches,
  // but a core is never kept waiting for a batch to become worth sending.
  std::uint32_t low_mark(const CoreOptions& options) const;
};

class Roster {
 public:
  using Workers = std::map<WorkerId, Worker>;

  // Requires that the id is not here.
  Worker& join(WorkerId id, const HostFacts& host, Instant now);
  Worker* find(WorkerId id);
  void remove(WorkerId id) { workers_.erase(id); }
  bool empty() const { return workers_.empty(); }
  Workers::iterator begin() { return workers_.begin(); }
  Workers::iterator end() { return workers_.end(); }

 private:
  Workers workers_;  // ordered: equal events must give equal actions
  std::vector<HostFacts> kinds_;
};

}  // namespace kernsweep::coordination
