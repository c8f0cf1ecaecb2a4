// Decides whether the job or the host is at fault when jobs of one sweep fail.
//
// The job. A job that ended its process (signal, out_of_memory), or that was with a worker that was lost
// (worker_lost), is a suspect. If it happens a second time on another host, or on the same one when no
// other is connected, the job is not retried, whatever retry.max says. Jobs that a lost worker had not
// begun are not suspects; and if the worker reconnects, its jobs did not end it. A worker gets few suspects
// at a time (suspects_with), so that it loses few other jobs if it ends.
//
// The job and GPUs. If a GPU was lost while a job used it (worker_lost, reported by its worker), the job is
// retried, on any host, whatever retry.max says; after a second GPU it is not retried. The host is not at
// fault, because its worker no longer uses that GPU.
//
// The host. Failures of different jobs in a row, without an ok between them, are its streak. From the third
// failure on, if other hosts have ok results, a failed job gets a second opinion: one more attempt on
// another host, which does not count against retry.max. If that fails too, the job is at fault, and the
// streak is dropped. If it is ok, the host is suspected; a streak of eight then puts it into quarantine. If
// no host has ok results, no host is suspected.
//
// With hosts: each a job has only its own host, so the rule for hosts does not apply.
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
  bool others_here = false;  // another connected host might run the job
  bool may_retry = false;    // retry.max and retry.for allow another attempt
  bool gpu_lost = false;     // the worker is still connected, but has lost a GPU of the job
};

struct Judgement {
  bool retry = false;
  bool counts = true;                   // against retry.max
  std::optional<std::uint32_t> not_on;  // the host that should not get it again if there is another
  std::string reason;                   // why it is not retried; empty: nothing to add
};

class FaultAttribution {
 public:
  explicit FaultAttribution(Hosts hosts) : hosts_(hosts) {}

  Judgement judge(const Trial& trial);
  // Hosts that must be put into quarantine now; each is returned once.
  std::vector<std::uint32_t> to_be_quarantined();
  std::string why_quarantined(std::uint32_t host) const;
  void readmit(std::uint32_t host) { records_.erase(host); }
  // The worker was not lost: its process has reconnected.
  void came_back(WorkerId lost);

  bool suspects(const JobKey& job) const { return !suspects_.empty() && suspects_.count(job) > 0; }
  void handed(const JobKey& job, WorkerId worker);  // it was sent to this worker
  void taken_back(const JobKey& job);               // no worker has it any more
  std::uint32_t suspects_with(WorkerId worker) const;
  void forget(const JobKey& job);  // it has its outcome
  std::size_t size() const { return suspects_.size(); }

  // As Core's. `in_flight_jobs`: of the same sweep.
  std::optional<std::string> check_invariants(const InFlightJobs& in_flight_jobs) const;

  static constexpr std::uint32_t kStreakToDoubt = 3;
  static constexpr std::uint32_t kStreakToQuarantine = 8;
  static constexpr std::uint32_t kGpusLostMax = 2;  // by one job

 private:
  friend struct TableBreaker;  // of tests
  struct Suspect {
    std::optional<std::uint32_t> ended_on;  // the host where it ended its process
    Outcome how = Outcome::signal;
    WorkerId lost_with;  // if `how` is worker_lost
    std::uint32_t gpus_lost = 0;
    std::optional<std::uint32_t> doubted;  // the host that is at fault if the job is ok elsewhere
    std::optional<WorkerId> with;
  };
  struct Record {
    std::vector<std::uint64_t> streak;  // different jobs, kStreakToQuarantine at most
    std::uint64_t oks_before = 0;       // of the sweep, when the streak began
    WorkerId lost;                      // of several jobs lost with one worker only the first counts
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
