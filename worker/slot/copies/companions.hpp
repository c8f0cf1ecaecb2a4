// The other copies of a job, from the view of its first one: processes of the same program, each bound to
// cores of its own, that do the same as the first copy with every job, and then call the kernel in rounds
// with it.
//
// For a companion the first copy is its worker: it sends the job, passes on the companion's requests, and
// gets its outcome. So a companion prepares and verifies, and is checked after the samples, like any other
// slot.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/outcome.hpp"
#include "shared/base/result.hpp"
#include "shared/base/rules.hpp"
#include "shared/wire/slot.pb.h"
#include "transport/socket.hpp"
#include "worker/slot/copies/round_board.hpp"

namespace kernsweep {

// Why a job with several copies ends: one of them failed.
struct CopyFailed {
  Outcome outcome = Outcome::failed_run;
  std::string reason;  // begins with "copy 2 of 4: "
};

// The cores of the copies, the same number for each, in the order of `cpus`. Error: `cpus` has too few.
Result<std::vector<std::vector<std::uint32_t>>> cores_of_copies(const std::vector<std::uint32_t>& cpus,
                                                                std::uint32_t copies,
                                                                std::uint32_t threads);

class Companions {
 public:
  using Obtain = std::function<Result<wire::TensorReplies>(const wire::TensorRequests&)>;

  // Binds this thread to the cores of the first copy, and starts the others with `setup`, where the copy,
  // cores, endpoint and token are replaced. To be called before any other thread is started. The processes
  // end with the object, and with this process. Error: too few cores, or a process cannot be started.
  static Result<std::unique_ptr<Companions>> start(const wire::SlotSetup& setup,
                                                   const std::vector<std::uint32_t>& cpus);
  ~Companions();
  Companions(const Companions&) = delete;
  Companions& operator=(const Companions&) = delete;

  std::uint32_t copies() const { return copies_; }
  std::vector<int> processes() const;
  const RoundBoard& board() const { return board_; }

  // Sends the job, and waits until each companion has verified its output and waits for rounds. `obtain`
  // answers their requests to the worker.
  std::optional<CopyFailed> prepare(const wire::Plan& plan, const Rules& rules, const wire::JobBody& body,
                                    const wire::Attempt& attempt, const Obtain& obtain);
  // One round: the companions do the task while this thread does `own`, and the round is over when all are
  // ready. False: one of them has failed, or has ended; end() returns the reason.
  template <class Own>
  bool round(const Round& round, const Own& own) {
    board_.begin(round);
    own();
    return wait();
  }
  // Ends the rounds of this job: the companions check the state that the calls have left, and send their
  // outcomes. Returns the first failure among them.
  std::optional<CopyFailed> end();
  // The outcomes of the companions at the last end(), in their order.
  const std::vector<wire::OutcomeBody>& outcomes() const { return outcomes_; }
  // One of them has ended, or must not continue: this process must not run another job, either.
  bool is_done() const { return is_lost_ || is_told_; }

 private:
  struct Process {
    pid_t pid = -1;
    std::string peer, token;
    bool ready = false;  // waits for rounds
    bool over = false;   // has sent the outcome of the job
  };

  Companions(std::uint32_t copies, RoundBoard board, Socket socket);
  Status launch(const wire::SlotSetup& setup, const std::vector<std::uint32_t>& cpus);
  bool wait();
  void look_for_ended();
  Process* admit(const std::string& peer, const wire::SlotHello& hello);
  void serve(const Received& received, const Obtain* obtain);
  void serve_until(const std::function<bool()>& enough, const Obtain* obtain);
  void fail(std::size_t process, Outcome outcome, const std::string& reason);

  std::uint32_t copies_;
  RoundBoard board_;
  Socket socket_;
  std::vector<Process> processes_;
  std::vector<wire::OutcomeBody> outcomes_;
  std::optional<CopyFailed> failed_;
  bool in_rounds_ = false;
  bool is_lost_ = false;  // a process has ended, or cannot work
  bool is_told_ = false;  // one has reported that it must not run another job
};

}  // namespace kernsweep
