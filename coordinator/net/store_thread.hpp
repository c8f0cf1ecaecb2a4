// The thread that writes the database, so that commits do not delay heartbeats.
//
// The loop posts rows and never waits. Rows that were posted while one batch was being committed form the
// next batch, so on a slow disk batches are larger and commits fewer. The results of a commit come back
// through take() when descriptor() is readable. While another program has locked the database, a commit
// waits. After a failure nothing more is stored, and the reason is returned once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/net/beginning.hpp"
#include "coordinator/net/metrics.hpp"
#include "language/space/expansion.hpp"
#include "results/store/events.hpp"
#include "results/store/store.hpp"
#include "shared/base/ids.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/wake_up.hpp"

namespace kernsweep::wire {
class Software;
}

namespace kernsweep::coordinator {

// The end of an attempt, with or without a result, to be stored.
struct PendingResult {
  AttemptId attempt;
  Outcome outcome = Outcome::ok;
  bool accepted = true;
  std::string body;    // encoded wire::OutcomeBody; if empty, only `reason` is known
  std::string reason;  // set by the coordinator; stored before the worker's own reason of the body
  HostId host;
  std::uint32_t session = 0;  // of the worker; 0: the coordinator has decided this outcome
  double sent_unix_s = kUnknown;
  std::optional<ResultId> reused;  // this earlier result is the job's outcome; other members are ignored
};

// A state change for the table `event`; it owns its text.
struct EventRow {
  EventRecord record;  // without its reason
  std::string reason;
};

class StoreThread {
 public:
  struct Load {
    std::size_t rows_waiting = 0;
    CommitTimes times;
  };

  // Takes over the store. `committed` is called when there is something to take().
  StoreThread(Store store, std::string software_version, WakeUp committed);
  ~StoreThread();
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  // A sweep to be started; take() returns the result with the same `tag`.
  void post_begin(std::uint32_t tag, SweepOrder order);
  // A sweep that started before this thread.
  void know(SweepId id, std::shared_ptr<const Expansion> expansion);
  // The problem of a sweep, as SweepRecord::problem, that was not known when it started.
  void post_problem(SweepId id, std::vector<std::optional<bool>> problem);
  // What to run next in a sweep; take() returns it when it is committed.
  void post_asked(SweepId id, AskedRound round);
  // The sweep has ended; its outcomes were posted before.
  void post_end(SweepId id, SweepState state);
  // The sweep was started a second time while it was running; its end will be posted only once.
  void post_begun_twice(SweepId id);
  void post_event(EventRow event);
  Load load() const;
  // Results of sweeps that have started.
  void post(std::vector<PendingResult> results);
  // Software that outcomes of a worker refer to; to be posted before the first of them.
  void post_software(wire::Software software);
  // A host that has joined; take() returns its number in the database with the same `tag`.
  void post_host(std::uint32_t tag, HostRecord host);
  // Waits until everything posted is committed or has failed. Nothing may be posted after it. Meanwhile
  // `may_wait` is called every 100 ms: after it returns false, it does not wait for locks of other programs
  // any more, and data that is not committed has failed.
  void finish(const std::function<bool()>& may_wait);

  struct Committed {
    std::vector<AttemptId> attempts;
    std::vector<std::pair<std::uint32_t, HostId>> hosts;
    std::vector<std::pair<std::uint32_t, Result<SweepBegun>>> begun;
    std::vector<std::pair<SweepId, AskedRound>> asked;
    std::optional<std::string> failure;
    std::string low_space;           // once: the disk is almost full; current results can still be stored
    std::vector<std::string> notes;  // for the user
  };
  Committed take();
  std::vector<std::string> take_notes();  // only the notes; the rest remains for take()
  int descriptor() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep::coordinator
