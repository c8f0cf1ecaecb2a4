// Who is to blame when jobs of one sweep end badly: the job, or the host.
//
// The job. One that ended its process (signal, out_of_memory) or was with a worker that was lost
// (worker_lost) is a suspect. The second time on another host, or on the same one when no other is here, it
// is tried no more, whatever retry.max says. What a lost worker had not begun is no suspect; and who comes
// back was not killed by anybody. A worker is given few suspects at a time (suspects_with), so one that
// dies takes few innocent ones with it.
//
// The job and GPUs. One under which a GPU was lost (worker_lost, as its worker says) is tried again, here
// or elsewhere, whatever retry.max says; when a second one is lost under it, no more. No host is blamed: it
// gives its job no such GPU again.
//
// The host. Failures of different jobs in a row, without an ok between them, are its streak. From the third
// on, while other hosts bring ok, a failed job gets a second opinion: one more attempt, elsewhere, that
// does not count against retry.max. If that fails too, it was the job, and the streak is forgotten. If it
// is ok, the host is suspected; a streak of eight then puts it into quarantine. Where nobody brings an ok,
// no host is suspected.
//
// With hosts: each a job has only its own host: there the first rule holds, not the second.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/in_flight_jobs.hpp"
#include "shared/base/ids.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/rules.hpp"

namespace kernsweep::coordinator {

// A job within its sweep: the number of the host that it is for (0 with hosts: any), and its index.
using JobKey = std::pair<std::uint32_t, std::uint64_t>;

struct Trial {  // one attempt that has ended on a host
  JobKey job;
  std::uint32_t host = 0;
  WorkerId worker;
  Outcome outcome = Outcome::ok;
  bool others_here = false;  // another host might take the job
  bool may_retry = false;    // retry.max and retry.for allow another attempt
  bool gpu_lost = false;     // the worker is there, and has lost a GPU of the job
};

struct Judgement {
  bool retry = false;
  bool counts = true;                   // against retry.max
  std::optional<std::uint32_t> not_on;  // the host that should not have it again, if there is another
  std::string reason;                   // why it is tried no more; empty: nothing to add
};

class FaultAttribution {
 public:
  explicit FaultAttribution(Hosts hosts) : hosts_(hosts) {}

  Judgement judge(const Trial& trial);
  // Hosts that are to go into quarantine, each told once.
  std::vector<std::uint32_t> to_be_quarantined();
  std::string why_quarantined(std::uint32_t host) const;
  void readmit(std::uint32_t host) { records_.erase(host); }
  // The worker was not lost after all: its process has come back.
  void came_back(WorkerId lost);

  bool suspects(const JobKey& job) const { return !suspects_.empty() && suspects_.count(job) > 0; }
  void handed(const JobKey& job, WorkerId worker);  // it is with this worker now
  void taken_back(const JobKey& job);               // nobody has it
  std::uint32_t suspects_with(WorkerId worker) const;
  void forget(const JobKey& job);  // it is answered
  std::size_t size() const { return suspects_.size(); }

  // As Core's. `in_flight_jobs`: of the same sweep.
  std::optional<std::string> check_invariants(const InFlightJobs& in_flight_jobs) const;

  static constexpr std::uint32_t kStreakToDoubt = 3;
  static constexpr std::uint32_t kStreakToQuarantine = 8;
  static constexpr std::uint32_t kGpusLostMax = 2;  // under one job

 private:
  friend struct TableBreaker;  // of tests
  struct Suspect {
    std::optional<std::uint32_t> ended_on;  // the host where it ended its process
    Outcome how = Outcome::signal;
    WorkerId lost_with;  // when by worker_lost
    std::uint32_t gpus_lost = 0;
    std::optional<std::uint32_t> doubted;  // the host that gets the blame if it is ok elsewhere
    std::optional<WorkerId> with;
  };
  struct Record {
    std::vector<std::uint64_t> streak;  // different jobs, kStreakToQuarantine at most
    std::uint64_t oks_before = 0;       // of the sweep, when the streak began
    WorkerId lost;                      // of several jobs lost with one worker the first counts
    bool is_suspected = false;
    bool to_be_quarantined = false;
  };
  bool ends_it(const Trial& trial, Judgement& judgement);
  Judgement judge_lost_gpu(const Trial& trial);
  void note_on_host(const Trial& trial);
  bool doubtful(std::uint32_t host) const;

  Hosts hosts_;
  std::map<JobKey, Suspect> suspects_;
  std::map<WorkerId, std::uint32_t> held_;
  std::map<std::uint32_t, Record> records_;
  std::uint64_t oks_ = 0;
  bool verdict_due_ = false;
};

}  // namespace kernsweep::coordinator
