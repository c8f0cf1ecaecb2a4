// The in-flight jobs: sent, waiting for a retry, or waiting for the store; and for each worker a list of
// the jobs that were sent to it, in that order.
//
// Entries of 32 bytes never move within their blocks; an open-addressing table of 4-byte entry numbers with
// linear probing finds them, so a job costs 40 to 48 bytes and no allocation. A worker's list is linked
// through its entries, so losing a worker takes time only for its own jobs.
//
// A pointer to an InFlightJob is valid until it is erased.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared/base/ids.hpp"

namespace kernsweep::coordinator {

enum class InFlightState : std::uint8_t {
  none = 0,  // a free entry
  queued,    // to be sent (again)
  sent,      // with `worker`
  storing,   // the store has its accepted outcome
};

struct InFlightJob {
  std::uint64_t index = 0;
  std::uint32_t host = 0;
  std::uint32_t number = 0;  // the newest attempt; outcomes of others are not accepted
  WorkerId worker;           // when sent
  // Attempts that count against retry.max, each kind on its own, so that a busy machine uses up no retries
  // that may be needed after a lost worker. A message that was lost does not count.
  std::uint8_t failures = 0;
  std::uint8_t disturbed = 0;  // measured on a machine that was too busy
  InFlightState state = InFlightState::none;
  std::uint8_t stores_pending = 0;  // outcomes of its attempts that the store has not committed

 private:
  friend class InFlightJobs;
  friend struct TableBreaker;           // of tests
  std::uint32_t before = 0, after = 0;  // neighbours in the worker's list: entry numbers, counted from 1
};
static_assert(sizeof(InFlightJob) == 32);

class InFlightJobs {
 public:
  InFlightJobs();

  InFlightJob* find(std::uint64_t index, std::uint32_t host);
  const InFlightJob* find(std::uint64_t index, std::uint32_t host) const;
  // Adds a job that waits for a retry, with this number. Requires that the job has no entry.
  InFlightJob& insert(std::uint64_t index, std::uint32_t host, std::uint32_t number);
  void erase(std::uint64_t index, std::uint32_t host);
  std::size_t size() const { return size_; }
  std::vector<InFlightJob> all() const;  // visits every entry
  template <class Each>
  void each(const Each& each) const {
    for (const InFlightJob& in_flight : entries_) {
      if (in_flight.state != InFlightState::none) each(in_flight);
    }
  }

  // Assigns the job to `worker`, at the end of its list, and removes it from the list of a former worker.
  void send(InFlightJob& in_flight, WorkerId worker);
  // No worker has it any more. Requires a state other than `sent`.
  void settle_as(InFlightJob& in_flight, InFlightState state);

  std::size_t sent_count(WorkerId worker) const;
  // Jobs that `worker` has been sent and not answered, by host and index.
  std::vector<InFlightJob> sent_to(WorkerId worker) const;
  // At most `most` of them, the newest first.
  std::vector<InFlightJob> newest_sent_to(WorkerId worker, std::size_t most) const;
  std::optional<std::string> check_invariants() const;  // as Core's

 private:
  friend struct TableBreaker;  // of tests
  struct Line {
    std::uint32_t first = 0, last = 0, count = 0;
  };
  std::size_t home(std::uint64_t index, std::uint32_t host) const;
  std::size_t place_of(std::uint64_t index, std::uint32_t host) const;
  InFlightJob& entry_at(std::uint32_t entry) { return entries_[entry - 1]; }
  const InFlightJob& entry_at(std::uint32_t entry) const { return entries_[entry - 1]; }
  std::uint32_t number_of(const InFlightJob& in_flight) const;
  void unlink(InFlightJob& in_flight);
  void grow();

  std::deque<InFlightJob> entries_;
  std::vector<std::uint32_t> free_;   // entry numbers
  std::vector<std::uint32_t> table_;  // entry numbers, 0 for none: a power of two, at most half full
  std::unordered_map<WorkerId, Line> lines_;
  std::size_t size_ = 0;
};

}  // namespace kernsweep::coordinator
