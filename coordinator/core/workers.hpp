// The connected workers: what they offer, when they last sent a message, how many jobs they may hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coordinator/core/core.hpp"
#include "coordinator/core/stream.hpp"

namespace kernsweep::coordinator {

struct Worker {
  WorkerId id;
  HostFacts host;
  Instant last_message;       // when it last sent a message
  Instant last_heartbeat;     // our last heartbeat to it
  Instant rests_until;        // it returned jobs without a request, so it gets none until then
  std::uint32_t held = 0;     // jobs that were sent to it and are not answered
  std::uint32_t storing = 0;  // outcomes of it that the store has not committed
  double mean_busy_s = 0.0;   // weighted mean of its jobs' busy time; 0: no job yet
  std::uint64_t ok = 0, failed = 0;
  bool draining = false;
  std::string reason;  // why it drains

  // How fast it answers, including all delays by leases, few cores or long jobs.
  double gap_s = 0.0;  // weighted mean of the time per answer while it holds jobs; 0: none yet
  Instant answered;    // its newest answer, or the first job after it had none

  std::uint32_t asked_back = 0;  // jobs that were requested back and are not returned
  Instant ask_again;             // it is not asked again before this
  std::uint32_t empty_retracts = 0;

  void observe(Duration busy);
  void observe_answers(std::size_t count, Instant now);
  // Records that it was sent `jobs` more jobs.
  void give(std::uint32_t jobs, Instant now);
  void take(std::uint32_t jobs) { held -= std::min(held, jobs); }
  // Estimated seconds until it begins the newest job that it holds; at least the time since its last
  // answer. Zero if the worker has an idle core.
  double backlog_s(Instant now) const;
  std::uint32_t cores() const { return std::max(host.cores, 1U); }
  // Number of jobs that it should hold: credit_time of work, at least two per core.
  std::uint32_t target(const CoreOptions& options) const;
  // It gets more jobs when it holds fewer than this: half of a large target, so that jobs are sent in
  // batches, but no core becomes idle before that.
  std::uint32_t low_mark(const CoreOptions& options) const;
};

class Workers {
 public:
  using Table = std::map<WorkerId, Worker>;

  // Requires that there is no worker with this id.
  Worker& join(WorkerId id, const HostFacts& host, Instant now);
  Worker* find(WorkerId id);
  void remove(WorkerId id) { workers_.erase(id); }
  bool empty() const { return workers_.empty(); }
  std::size_t size() const { return workers_.size(); }
  Table::iterator begin() { return workers_.begin(); }
  Table::iterator end() { return workers_.end(); }
  Table::const_iterator begin() const { return workers_.begin(); }
  Table::const_iterator end() const { return workers_.end(); }

 private:
  Table workers_;  // ordered: equal events must give equal actions
};

}  // namespace kernsweep::coordinator
