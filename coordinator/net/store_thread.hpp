// The thread that writes the database, so that no commit ever delays a heartbeat.
//
// The loop posts what is to be stored and goes on; whatever has gathered while one batch was being
// committed is the next batch, so commits are as rare as the disk is slow. What was committed comes back
// through take(), announced by descriptor(). While another program holds the database, a commit waits as if
// the disk stood still. After a failure nothing more is stored: the loop is told the
// reason once.
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

struct PendingResult {
  AttemptId attempt;
  Outcome outcome = Outcome::ok;
  bool accepted = true;
  std::string body;    // encoded wire::OutcomeBody; empty: only `reason` is known
  std::string reason;  // of the coordinator; it stands before the worker's own in the body
  HostId host;
  std::uint32_t session = 0;  // of the worker; 0: the coordinator's own finding
  double sent_unix_s = kUnknown;
  std::optional<ResultId> reused;  // the job has this earlier result as its outcome; nothing else counts
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

  // Takes the store over.
  // `committed` is called when there is something to take().
  StoreThread(Store store, std::string software_version, WakeUp committed);
  ~StoreThread();
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  // A sweep that is to begin: take() tells what came of it beside the same `tag`.
  void post_begin(std::uint32_t tag, SweepOrder order);
  // A sweep that has begun already, before the thread was there.
  void know(SweepId id, std::shared_ptr<const Expansion> expansion);
  // It is over: its outcomes were posted before.
  void post_end(SweepId id, SweepState state);
  // It has begun although it was under way already: its end will be posted once.
  void post_begun_twice(SweepId id);
  void post_event(EventRow event);
  Load load() const;
  // Of sweeps that have begun.
  void post(std::vector<PendingResult> results);
  // What a worker's outcomes name as the software that measured; before the first that does.
  void post_software(wire::Software software);
  // A host that has joined: take() tells its number in the database beside the same `tag`.
  void post_host(std::uint32_t tag, HostRecord host);
  // Waits until everything posted is committed (or has failed). Nothing may be posted after it. Meanwhile
  // `may_wait` is asked every 100 ms: when it answers no, no lock of another program is waited for any
  // more, and what is not committed then has failed.
  void finish(const std::function<bool()>& may_wait);

  struct Committed {
    std::vector<AttemptId> attempts;
    std::vector<std::pair<std::uint32_t, HostId>> hosts;
    std::vector<std::pair<std::uint32_t, Result<SweepBegun>>> begun;
    std::optional<std::string> failure;
    std::vector<std::string> notes;  // for people
  };
  Committed take();
  std::vector<std::string> take_notes();  // these alone; the rest stays for take()
  int descriptor() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep::coordinator
