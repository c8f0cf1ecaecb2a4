// The thread that writes the database, so that no commit ever delays a heartbeat.
//
// The loop posts what is to be stored and goes on; whatever has gathered while one batch was being
// committed is the next batch, so commits are as rare as the disk is slow. What was committed comes back
// through take(), announced by descriptor(). After a failure nothing more is stored: the loop is told the
// reason once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/sweep/expansion.hpp"
#include "results/store.hpp"
#include "shared/ids.hpp"
#include "shared/outcome.hpp"

namespace kernsweep::wire {
class Software;
}

namespace kernsweep::coordination {

struct Finding {
  AttemptId attempt;
  Outcome outcome = Outcome::ok;
  bool accepted = true;
  std::string body;    // encoded wire::OutcomeBody; empty: only `reason` is known
  std::string reason;  // when there is no body
  HostId host;
};

class StoreThread {
 public:
  // Takes the store over. `expansion` must outlive the thread.
  StoreThread(Store store, const Expansion& expansion, std::string software_version);
  ~StoreThread();
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  void post(std::vector<Finding> findings);
  // What a worker's outcomes name as the software that measured; before the first that does.
  void post_software(wire::Software software);
  // A host that has joined: take() tells its number in the database beside the same `tag`.
  void post_host(std::uint32_t tag, HostRecord host);
  // Waits until everything posted is committed (or has failed) and gives the store back. Once.
  Store finish();

  struct Committed {
    std::vector<AttemptId> attempts;
    std::vector<std::pair<std::uint32_t, HostId>> hosts;
    std::optional<std::string> failure;
  };
  Committed take();
  int descriptor() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep::coordination
