// Runs one job from its body to its outcome: binds parameters, asks the variant whether it can run, gets
// operands, prepares, verifies, gets the lease, measures. Every failure becomes an outcome with a reason;
// only a kernel that crashes ends the process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/base/rules.hpp"
#include "shared/wire/slot.pb.h"
#include "worker/host/group_events.hpp"
#include "worker/host/processor_limits.hpp"
#include "worker/slot/job/binding.hpp"
#include "worker/slot/job/guarded_memory.hpp"
#include "worker/slot/job/operands.hpp"
#include "worker/slot/job/shared_runs.hpp"
#include "worker/slot/job/sources.hpp"
#include "worker/slot/measure/cache_eviction.hpp"
#include "worker/slot/pack/pack.hpp"
#include "worker/slot/verify/reference.hpp"
#include "worker/slot/watch/late_work.hpp"
#include "worker/slot/watch/peak_memory.hpp"
#include "worker/slot/worker_port.hpp"

namespace kernsweep {

struct KeptOutput;

class Companions;
class RoundBoard;

struct SlotPlace {
  std::uint32_t threads = 1;
  std::string affinity;             // as read back from the system: "0-1"
  std::uint64_t llc_bytes = 0;      // sum of the last-level caches of its cores, or a GPU's larger L2
  std::vector<std::uint32_t> cpus;  // numbers of the system; the process is bound to them; empty: not bound
  std::vector<std::pair<std::string, std::string>> environment;  // variables that the sweep file sets
  std::string gpus = {};                          // GPUs of the process: wire::OutcomeBody::gpus
  Digest pack_content = {};                       // hash of the pack's file; all zeros: not known
  std::vector<std::uint64_t> cache_shares = {};   // in bytes, for each of `cpus`; empty: not known
  std::map<std::string, std::string> packs = {};  // of the family's variants; other packs are searched for
  std::uint32_t copies = 0;                       // as in wire::SlotKey; the rest is about one of them
  Companions* companions = nullptr;               // the others; null: there is one
  RoundBoard* rounds = nullptr;                   // of a companion
  std::vector<std::uint32_t> cpus_of_all = {};    // of all copies; empty: as `cpus`
  Duration took_to_start = {};                    // of this process; zero: not known

  // Reduces the cores of all `count` copies to those of the first one. `others`: null for one copy.
  void take_first_of(std::uint32_t count, Companions* others);
};

class Gauges;
class InPlace;
class IsolatedPack;
class ProcessState;
class SectionWatch;
struct BetweenCalls;
struct CoreLook;
struct Operand;
struct Samples;
struct WorkedThreads;

class JobRunner {
 public:
  // `pack` and `family` must live as long as the process, `port` as long as the runner. `isolated`: `pack`
  // and `family` are its own, and each job runs in an isolated process.
  JobRunner(const Pack& pack, const ks_family& family, SlotPlace place, WorkerPort& port,
            IsolatedPack* isolated = nullptr);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // `leased`: the lease came with the run. `out` must have the attempt's id, because its job number decides
  // whether the job is also measured alone; all other fields are filled in.
  void run(const wire::Plan& plan, const Rules& rules, const wire::JobBody& body, bool leased,
           wire::Outcome& out);

  // This process must not run another job: a variant has reported its device as lost, or may have lost it
  // without a report.
  bool is_done() const { return is_done_; }
  // A loaded file was replaced: this process would not measure what is on the disk now.
  bool is_stale() const { return sources_.is_stale(); }

 private:
  struct Bound {
    const ks_variant* variant;
    Binding binding;
  };
  struct Attempt;     // the state of one call of run()
  struct Distrusted;  // its further members if the kernel is distrusted

  const Bound* bind(const wire::Plan& plan, const std::string& variant);
  bool set_up(Attempt& job);
  bool note_depends(Attempt& job);
  void note_builds(Attempt& job);
  void tell_software(Attempt& job);
  std::optional<std::uint64_t> killed_so_far(const Attempt& job);
  void tell_killed(Attempt& job, const std::optional<std::uint64_t>& now);
  bool fits_device(Attempt& job);
  bool may_have_lost_its_gpu(const Attempt& job) const;
  bool choose_reference(Attempt& job);
  static bool describe_operands(Attempt& job);
  std::vector<std::string> in_place_operands(const Attempt& job) const;
  static std::vector<std::pair<std::string, std::string>> chosen_distributions(const Attempt& job);
  bool obtain_operands(Attempt& job);
  bool choose_variant(Attempt& job, const std::string& name, const wire::JobBody& body);
  bool choose_setting(Attempt& job);
  static bool asks_for_the_same(Attempt& job);
  bool choose_outside(Attempt& job, const wire::JobBody& body);
  void request_reference(Attempt& job, wire::TensorRequests& requests) const;
  bool accept_reference(Attempt& job, const wire::TensorRequests& requests,
                        const wire::TensorReplies& replies);
  bool obtain_reference(Attempt& job);
  void note_reference(const std::vector<ReferenceOutput::Source>& sources);
  bool compute_reference(Attempt& job);
  bool compute_outside_reference(Attempt& job);
  bool read_reference_file(Attempt& job);
  // The output of a command is what it prints.
  bool prints_text() const { return std::string_view(family_.name) == "command"; }
  Allowance allowance_of(const Attempt& job) const;
  static void tell_comparison(Attempt& job, const Judgement& judged);
  bool verify(Attempt& job);
  bool compare_with_reference(Attempt& job, const ks_tensor& output);
  ks_status prepare(Attempt& job, const std::vector<ks_tensor>& operands, void*& state);
  bool place_operands(Attempt& job, GuardedMemory& memory, std::vector<ks_tensor>& operands, InPlace& out);
  static ks_status call(Attempt& job, void* state);
  void request_copies(const Attempt& job, wire::TensorRequests& requests) const;
  void rotate(Attempt& job);
  bool obtain_lease(Attempt& job);
  // Its variant computes on a GPU and reports the times of the GPU's own clock.
  bool is_timed_by_device(const Attempt& job) const;
  bool measure(Attempt& job);
  void choose_runs(Attempt& job);
  bool forget_shared(Attempt& job);
  void keep_runs(const Attempt& job);
  static bool read_runs(Attempt& job, std::vector<double>& seconds);
  bool take_shared(Attempt& job);
  void check_late_work(Attempt& job, const Samples& samples);
  LateTail tail_after(Attempt& job, std::uint64_t calls);
  bool ask_single_calls(Attempt& job, LateWork& found);
  void release_states(Attempt& job);
  void end_traces(Attempt& job);
  void try_first_call(Attempt& job);
  std::optional<double> first_call_of_new_state(Attempt& job, bool looks);
  std::optional<double> first_call_of_new_states(Attempt& job);
  double cost_of_cold_caches(Attempt& job);
  static void tell_metrics(Attempt& job, const std::vector<CountedMetric>& metrics);
  void tell_doubts(Attempt& job, const Samples& samples);
  static void tell_counters(Attempt& job, const Samples& samples);
  static void tell_samples(Attempt& job, const MeasureRules& rules, const Samples& samples);
  bool compare_with_asked(Attempt& job, const std::optional<WorkedThreads>& worked,
                          const std::vector<CoreLook>& looks);
  std::optional<std::string> lack_of_cores_of(const std::vector<CoreLook>& looks) const;
  void look_without_watch(Attempt& job, Instant begun);
  void tell_without_watch(Attempt& job, Instant begun);
  void measure_alone(Attempt& job, MeasureRules rules);
  bool prepare_copies(Attempt& job);
  Samples take_samples(Attempt& job, const MeasureRules& rules, SectionWatch* watch);
  bool work_in_rounds(Attempt& job);
  static void tell_copies(Attempt& job, const std::vector<double>& medians);
  void add_outcomes_of_companions(Attempt& job, std::vector<double>& medians);
  void end_copies(Attempt& job);
  std::unique_ptr<Gauges> gauges_of_job() const;
  bool may_overwrite(const Attempt& job, const ks_tensor& output) const;
  bool overwrite(const Attempt& job, const ks_tensor& output);
  static bool fail_uncomputed(Attempt& job, const ks_tensor& output);
  bool check_call(Attempt& job, void* state, ks_tensor& output, Duration late);
  void return_lease(const Attempt& job);
  void check_measured(Attempt& job);
  void tell_phases(Attempt& job);
  bool check_timed_calls(Attempt& job);
  bool check_gpu_before(Attempt& job);
  bool check_gpu_calls(Attempt& job);
  static void reset_gpu(Attempt& job);
  bool check_kept_output(Attempt& job);
  bool check_kept_call(Attempt& job);
  static bool judge_left(Attempt& job, const ks_left& left);
  bool judge_other_bits(Attempt& job, const ks_tensor& output, const ks_left& left);
  void hash_unverified(Attempt& job);
  void sample_unverified(Attempt& job, const ks_tensor& output);
  bool still_right(const Attempt& job, void* state, const ks_tensor& output) const;
  void hash_again(Attempt& job);
  static void fail_measured(Attempt& job, const std::string& reason);
  BetweenCalls between_calls(Attempt& job);
  void evict_caches(Attempt& job);
  static void tell_work(Attempt& job, const ks_work& work);
  bool is_possible(Attempt& job, const ks_work& of_family);
  Arithmetic arithmetic_of(Attempt& job);
  const PeakMemory& peak_memory() const;
  int isolated_process() const;  // 0: this process computes the output itself
  bool set_up_distrusted(Attempt& job);
  bool refuse_distrusted(Attempt& job);
  bool choose_isolated_variant(Attempt& job, const std::string& name, const wire::JobBody& body);
  bool ask_for_operands(Attempt& job);
  bool draw_operands(Attempt& job, bool varies_by_seed, std::vector<Operand>& out);
  ks_tolerance declared_tolerance(const Attempt& job) const;
  bool fail_call(Attempt& job);
  void tell_sources();
  bool verify_distrusted(Attempt& job);
  bool compute_for_call(Attempt& job, std::uint64_t call);
  bool judge_call(Attempt& job, const KeptOutput& output, const std::string& which);
  void check_distrusted(Attempt& job);

  const Pack& pack_;
  const ks_family& family_;
  SlotPlace place_;
  WorkerPort& port_;
  Sources sources_;
  Operands operands_;
  Reference reference_;
  GuardedMemory memory_;
  std::map<std::pair<std::uint32_t, std::string>, Bound> bound_;  // by sweep and variant
  CacheEviction eviction_;
  SharedRuns shared_runs_;
  IsolatedPack* const isolated_;
  std::unique_ptr<Distrusted> distrusted_;
  std::unique_ptr<Gauges> gauges_;  // made for the first watched job
  std::optional<GroupEvents> groups_;
  std::optional<Instant> throttling_at_;  // when throttling_ was read
  Throttling throttling_;
  std::set<pid_t> ended_;      // children that a signal has ended, also of former jobs
  double best_clock_ghz_ = 0;  // highest clock of this process
  bool is_done_ = false;
  PeakMemory peak_memory_;
  std::uint32_t pid_;
  // For kernels that others have written, in this process; nothing for those of the installation.
  std::optional<LateWorkWatch> late_work_;
  std::string children_;                 // of this process after the last job
  std::unique_ptr<ProcessState> state_;  // the state of such a process without a job
};

}  // namespace kernsweep
