#include "worker/slot/job/job.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/text/source_call.hpp"
#include "shared/text/suggest.hpp"
#include "tensors/spec.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/job/job_distrusted.hpp"
#include "worker/slot/measure/forked_child.hpp"
#include "worker/slot/pack/pack_search.hpp"
#include "worker/slot/verify/output.hpp"
#include "worker/slot/watch/gauges.hpp"

namespace kernsweep {
namespace {

std::vector<CacheEviction::Core> eviction_cores(const SlotPlace& place) {
  std::vector<CacheEviction::Core> cores;
  for (std::size_t i = 0; i < place.cpus.size() && i < place.cache_shares.size(); ++i)
    cores.push_back({place.cpus[i], place.cache_shares[i]});
  return cores;
}

}  // namespace

JobRunner::JobRunner(const Pack& pack, const ks_family& family, SlotPlace place, WorkerPort& port,
                     IsolatedPack* isolated)
    : pack_(pack),
      family_(family),
      place_(std::move(place)),
      port_(port),
      sources_(pack_, place_.environment, port_.file_hashes()),
      eviction_(eviction_cores(place_), place_.llc_bytes),
      isolated_(isolated),
      pid_(static_cast<std::uint32_t>(getpid())) {
  watch_for_forks();
  const std::string_view name = family_.name;
  const bool is_of_sweep = name == "python" || name == "command" || is_source_family(name);
  const bool is_foreign = is_of_sweep || !is_installed_pack(pack_.path());
  if (!is_foreign || isolated_) return;
  // A program changes its own process, not this one.
  if (name != "command") state_ = std::make_unique<ProcessState>(ProcessState::now());
  if (!place_.companions && !place_.rounds)
    late_work_.emplace(name == "command" ? LateWorkWatch::Of::programs : LateWorkWatch::Of::process);
}

JobRunner::~JobRunner() = default;

const JobRunner::Bound* JobRunner::bind(const wire::Plan& plan, const std::string& name) {
  const auto key = std::make_pair(plan.sweep(), name);
  if (const auto found = bound_.find(key); found != bound_.end()) return &found->second;
  const ks_variant* variant =
      name.empty() && family_.variant_count == 1 ? family_.variants[0] : variant_of(family_, name);
  if (!variant) return nullptr;
  const std::vector<std::string> columns(plan.columns().begin(), plan.columns().end());
  return &bound_.emplace(key, Bound{variant, Binding(family_, *variant, columns)}).first->second;
}

// On success `state` is the new state, otherwise null.
ks_status JobRunner::prepare(Attempt& job, const std::vector<ks_tensor>& operands, void*& state) {
  const ks_params params = job.params.view();
  const ks_context context{sizeof(ks_context),
                           static_cast<std::int32_t>(place_.threads),
                           job.seed,
                           VariantHost::allocate,
                           &job.host,
                           VariantHost::explain,
                           VariantHost::report_work,
                           job.is_trial ? VariantHost::ignore_source : VariantHost::report_source};
  const ks_status prepared = job.bound->variant->prepare(&params, &context, operands.data(),
                                                         operands.size(), &state, job.reason_buffer());
  end_if_forked(prepared == KS_OK);
  if (prepared != KS_OK) state = nullptr;
  return prepared;
}

// Sets the operands of the job; those that calls overwrite are in `memory`.
bool JobRunner::place_operands(Attempt& job, GuardedMemory& memory, std::vector<ks_tensor>& operands,
                               InPlace& out) {
  operands = operands_.tensors();
  const auto failed = out.place(in_place_operands(job), operands_.names(), memory, operands);
  if (failed) return job.fail(failed->outcome, failed->reason);
  out.restore();
  return out.empty() || pack_.device_of(*job.bound->variant) != "gpu" ||
         job.fail(Outcome::unsupported,
                  "calls overwrite operands of this family (in_place), which a host cannot write back on a "
                  "GPU");
}

// A call that is not timed, on the operands in their first state.
ks_status JobRunner::call(Attempt& job, void* state) {
  job.in_place.restore();
  const ks_status ran = job.bound->variant->run(state);
  end_if_forked(ran == KS_OK);
  return ran;
}

bool JobRunner::set_up(Attempt& job) {
  note_builds(job);
  if (!note_depends(job) || !describe_operands(job)) return false;
  const std::string name = text_of_column(job.plan, job.body, "variant");
  job.bound = bind(job.plan, name);
  if (!job.bound) {
    return job.fail(Outcome::failed_setup, "the family '" + std::string(family_.name) +
                                               "' has no variant '" + name + "'" +
                                               did_you_mean(name, variant_names(family_)));
  }
  if (const Status filled = job.bound->binding.fill(job.body, job.params); !filled) {
    return job.fail(Outcome::failed_setup, filled.error().message);
  }
  if (!fits_device(job)) return false;
  const ks_variant& variant = *job.bound->variant;
  const ks_params params = job.params.view();
  if (variant.can_run) {
    const ks_status can = variant.can_run(&params, job.reason_buffer());
    if (can != KS_OK)
      return job.fail(can, Outcome::failed_setup, job.because("the variant gave no reason"));
  }
  if (!choose_reference(job) || !obtain_operands(job)) return false;
  choose_runs(job);
  std::vector<ks_tensor> operands;
  if (!place_operands(job, memory_, operands, job.in_place)) return false;
  const Instant begun = monotonic_now();
  ks_status prepared = prepare(job, operands, job.state);
  if (prepared != KS_OK && forget_shared(job)) prepared = prepare(job, operands, job.state);
  job.prepare_s = seconds(monotonic_now() - begun);
  if (prepared != KS_OK) {
    return job.fail(prepared, Outcome::failed_setup,
                    job.because("the variant could not prepare, without a reason"));
  }
  if (variant.runtime) {
    if (const char* runtime = variant.runtime(job.state)) job.result.set_runtime(as_utf8(runtime));
  }
  return true;
}

// The device of the job and of the variant must be the same: with a GPU for a variant of the processor, the
// GPU would be idle and missing for other jobs.
bool JobRunner::fits_device(Attempt& job) {
  const std::string_view device = pack_.device_of(*job.bound->variant);
  const bool for_gpu = device == "gpu";
  if (for_gpu == !place_.gpus.empty() || family_.any_params) return true;
  return job.fail(Outcome::unsupported,
                  for_gpu
                      ? "the variant computes on a GPU, and the job has none; write device: gpu for it"
                      : "the variant computes on the processor, and the job has a GPU; write device: cpu "
                        "for it");
}

// Programs and functions (any_params) do not report whether a failure was caused by their GPU. If it was,
// every later function of this process would fail, too, because CUDA's errors of a broken context are
// permanent.
bool JobRunner::may_have_lost_its_gpu(const Attempt& job) const {
  const auto outcome = static_cast<Outcome>(job.out.outcome());
  return family_.any_params && !place_.gpus.empty() &&
         (outcome == Outcome::failed_setup || outcome == Outcome::failed_run);
}

// Reads the operands that the sweep describes for a function.
bool JobRunner::describe_operands(Attempt& job) {
  auto described = described_operands(job.plan, job.body);
  if (!described) return job.fail(Outcome::failed_setup, described.error().message);
  job.described = std::move(*described);
  return true;
}

std::vector<std::string> JobRunner::in_place_operands(const Attempt& job) const {
  std::vector<std::string> out = pack_.in_place_of(family_);
  out.insert(out.end(), job.described.in_place.begin(), job.described.in_place.end());
  return out;
}

// By operand; if there are several entries, the last one is used.
std::vector<std::pair<std::string, std::string>> JobRunner::chosen_distributions(const Attempt& job) {
  std::vector<std::pair<std::string, std::string>> choices = job.described.distributions;
  for (int i = 0; i < job.plan.columns_size() && i < job.body.values_size(); ++i) {
    const std::string& column = job.plan.columns(i);
    if (column.starts_with("input.") && !job.body.values(i).text().empty()) {
      choices.emplace_back(column.substr(6), job.body.values(i).text());
    }
  }
  return choices;
}

bool JobRunner::obtain_operands(Attempt& job) {
  const auto choices = chosen_distributions(job);
  wire::TensorRequests requests;
  const Status asked =
      job.described.empty()
          ? operands_.request(family_, job.params.view(), job.plan.seed(), choices, requests)
          : operands_.request_described(job.described.inputs, job.plan.seed(), choices, requests);
  if (!asked) return job.fail(Outcome::failed_setup, asked.error().message);
  for (const auto& [operand, text] : choices)
    if (const auto file = tensor_file_of(text)) sources_.note("input", operand, file->path);
  request_reference(job, requests);
  if (requests.tensors_size() == 0 && requests.reference().empty()) return true;
  request_copies(job, requests);

  const PhaseTimer timer(job.spent.inputs);
  const auto replies = port_.obtain(requests);
  if (!replies) return job.fail(Outcome::failed_setup, replies.error().message);
  if (!replies->error().empty()) {
    return job.fail(replies->out_of_memory() ? Outcome::out_of_memory : Outcome::failed_setup,
                    replies->error());
  }
  if (const Status mapped = operands_.map(requests, *replies); !mapped) {
    return job.fail(Outcome::failed_setup, mapped.error().message);
  }
  for (int i = 0; i < replies->tensors_size(); ++i) {
    const wire::TensorPlace& place = replies->tensors(i);
    wire::Input& input = *job.result.add_inputs();
    input.set_name(requests.tensors(i).name());
    input.set_summary(place.summary());
    input.set_identity(place.identity());
    input.set_content_hash(place.content_hash());
    input.set_bytes(place.bytes());
    input.set_generator(place.generator());
    *input.mutable_origin() = place.origin();
  }
  return requests.reference().empty() || accept_reference(job, requests, *replies);
}

// Values from a pack that are not finite and positive count as unknown.
void JobRunner::tell_work(Attempt& job, const ks_work& work) {
  const auto amount = [](double number) { return std::isfinite(number) && number > 0 ? number : 0; };
  job.result.set_flops(amount(work.flops));
  job.result.set_bytes(amount(work.bytes));
}

// The remaining steps check outputs and time nothing, except on a GPU. The lease is kept for jobs so short
// that a message would be a part of them, and while copies still work.
void JobRunner::return_lease(const Attempt& job) {
  constexpr double kShort_s = 10e-3;
  const bool is_alone = place_.companions == nullptr && place_.rounds == nullptr;
  if (!job.leased && is_alone && place_.gpus.empty() && job.result.run_s() >= kShort_s)
    port_.return_lease();
}

// The checks after the samples.
void JobRunner::check_measured(Attempt& job) {
  if (isolated_) return check_distrusted(job);
  if (!job.is_compared()) {
    hash_unverified(job);
  } else {
    hash_again(job);
    check_timed_calls(job);
  }
  if (!job.broken) check_kept_output(job);
  if (!job.broken) check_gpu_calls(job);  // last, because the output to compare is that of a timed call
}

// A failure of a release does not fail the job, because its samples were complete.
void JobRunner::release_states(Attempt& job) {
  job.host.explained.clear();
  job.rotation.clear();
  if (isolated_ && gauges_) gauges_->add_process(0);
  if (job.state) job.bound->variant->release(job.state);
  const std::string explained = as_utf8(job.host.explained);
  if (explained.empty()) return;
  if (job.broken)
    job.result.set_reason(job.result.reason() + "; " + explained);
  else
    job.result.add_notes(explained);
}

// Only for jobs that are long enough to spend a few bytes of the row.
void JobRunner::tell_phases(Attempt& job) {
  constexpr Duration kShortest = 10ms;
  const Duration all = monotonic_now() - job.begun;
  if (all < kShortest) return;
  const double told = job.result.setup_s() + job.result.lease_wait_s() + job.result.run_s();
  job.result.set_inputs_s(seconds(job.spent.inputs));
  job.result.set_reference_s(seconds(job.spent.reference));
  job.result.set_verify_s(seconds(job.spent.verified - job.spent.reference));
  job.result.set_start_s(seconds(std::exchange(place_.took_to_start, Duration::zero())));
  job.result.set_check_s(std::max(0.0, seconds(all) - told));
}

void JobRunner::run(const wire::Plan& plan, const Rules& rules, const wire::JobBody& body, bool leased,
                    wire::Outcome& out) {
  const Instant start = monotonic_now();
  port_.show_job_begun(start);
  const bool is_watched = watched(rules.measure);
  // The buffer for emptying the caches must not count in the peak memory of a hot job.
  if (is_watched && body.cache() != static_cast<std::uint32_t>(Cache::cold)) eviction_.forget();
  peak_memory_.begin_job(is_watched);
  sources_.begin_job();
  Attempt job{plan, rules, body, leased, out, {memory_, sources_, {}, {}, state_.get()}};
  job.seed = plan.seed();
  job.begun = start;
  job.result.set_started_unix_ns(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()).count());
  out.set_outcome(static_cast<std::uint32_t>(Outcome::ok));
  job.killed_before = killed_so_far(job);
  bool prepared = isolated_ ? set_up_distrusted(job) && verify_distrusted(job) : set_up(job) && verify(job);
  if (prepared && !isolated_) rotate(job);
  prepared = prepared && prepare_copies(job);
  job.result.set_setup_s(seconds(monotonic_now() - start));
  const bool measured =
      prepared && check_gpu_before(job) &&
      (job.shared ? take_shared(job) : (place_.rounds ? work_in_rounds(job) : measure(job)));
  const auto killed = killed_so_far(job);  // before the lease is returned, and others measure
  if (measured) {
    ks_work work{};
    const ks_params params = job.params.view();
    if (family_.work && family_.work(&params, &work, job.reason_buffer()) == KS_OK) {
      tell_work(job, job.host.work.value_or(work));
    }
    return_lease(job);
    const int doubts = job.result.doubts_size();
    const bool is_right = is_possible(job, work);
    job.has_doubtful_rate = job.result.doubts_size() != doubts;
    if (is_right && !job.shared) check_measured(job);
  }
  end_copies(job);
  if (!job.shared) tell_killed(job, killed);
  keep_runs(job);
  reset_gpu(job);
  tell_software(job);
  release_states(job);
  memory_.clear();
  end_traces(job);
  if (job.hashed) job.result.set_output_hash(std::string(job.hash.view()));
  if (job.sample && !job.broken) job.result.set_output_sample(text_of(*job.sample));
  job.result.set_affinity(place_.affinity);
  job.result.set_gpus(place_.gpus);
  job.result.set_slot_pid(pid_);
  const ks_pack& pack = pack_.description();
  job.result.set_pack_name(as_utf8(pack.name));
  if (pack.version) job.result.set_pack_version(as_utf8(pack.version));
  if (rules.measure.quick) job.result.add_grades("measured with --quick");
  is_done_ = is_done_ || job.device_lost || may_have_lost_its_gpu(job);
  out.set_slot_is_done(is_done_);
  out.set_device_lost(job.device_lost);
  tell_phases(job);
  out.set_busy_ns((monotonic_now() - start).count());
  out.set_body(job.result.SerializeAsString());
  distrusted_.reset();  // its processes and folders end with the job
}

}  // namespace kernsweep
