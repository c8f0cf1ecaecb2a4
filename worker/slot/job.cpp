#include "worker/slot/job.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "shared/outcome.hpp"
#include "shared/statistics.hpp"
#include "shared/suggest.hpp"
#include "shared/utf8.hpp"
#include "worker/slot/output.hpp"
#include "worker/slot/sampler.hpp"

namespace kernsweep {
namespace {

void* allocate_from(void* host, std::size_t bytes) {
  return static_cast<GuardedMemory*>(host)->allocate(bytes);
}

Outcome outcome_of(ks_status status, Outcome otherwise) {
  if (status == KS_UNSUPPORTED) return Outcome::unsupported;
  if (status == KS_OUT_OF_MEMORY) return Outcome::out_of_memory;
  return otherwise;
}

std::string text_of_column(const wire::Plan& plan, const wire::JobBody& body, std::string_view name) {
  for (int i = 0; i < plan.columns_size() && i < body.values_size(); ++i) {
    if (plan.columns(i) == name) return body.values(i).text();
  }
  return "";
}

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

struct JobRunner::Attempt {
  const wire::Plan& plan;
  const Rules& rules;
  const wire::JobBody& body;
  bool leased;
  wire::Outcome& out;
  wire::OutcomeBody told;
  const Bound* bound = nullptr;
  ParamSet params;
  const ks_variant* reference = nullptr;  // null: nothing to verify against
  ParamSet reference_params;
  Digest reference_identity;
  std::array<char, 512> why{};
  void* state = nullptr;
  std::uint64_t seed = 0;
  Digest hash;
  bool hashed = false;
  bool broken = false;  // `reason` and `outcome` are set

  ks_why reason_buffer() {
    why[0] = 0;
    return {why.data(), why.size()};
  }
  bool fail(Outcome outcome, const std::string& reason) {
    out.set_outcome(static_cast<std::uint32_t>(outcome));
    told.set_reason(as_utf8(reason));
    broken = true;
    return false;
  }
  std::string because(const char* otherwise) const { return why[0] ? why.data() : otherwise; }
};

JobRunner::JobRunner(const Pack& pack, const ks_family& family, SlotPlace place, AgentPort& port)
    : pack_(pack), family_(family), place_(std::move(place)), port_(port) {}

const JobRunner::Bound* JobRunner::bind(const wire::Plan& plan, const std::string& name) {
  const auto key = std::make_pair(plan.sweep(), name);
  if (const auto found = bound_.find(key); found != bound_.end()) return &found->second;
  const ks_variant* variant =
      name.empty() && family_.variant_count == 1 ? family_.variants[0] : variant_of(family_, name);
  if (!variant) return nullptr;
  const std::vector<std::string> columns(plan.columns().begin(), plan.columns().end());
  return &bound_.emplace(key, Bound{variant, Binding(family_, *variant, columns)}).first->second;
}

bool JobRunner::set_up(Attempt& job) {
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
  const ks_variant& variant = *job.bound->variant;
  const ks_params params = job.params.view();
  if (variant.can_run) {
    const ks_status can = variant.can_run(&params, job.reason_buffer());
    if (can != KS_OK)
      return job.fail(outcome_of(can, Outcome::failed_setup), job.because("the variant gave no reason"));
  }
  if (!choose_reference(job) || !obtain_operands(job)) return false;
  const ks_context context{sizeof(ks_context), static_cast<std::int32_t>(place_.threads), job.seed,
                           allocate_from, &memory_};
  const auto& operands = operands_.tensors();
  const ks_status prepared =
      variant.prepare(&params, &context, operands.data(), operands.size(), &job.state, job.reason_buffer());
  if (prepared != KS_OK) {
    job.state = nullptr;
    return job.fail(outcome_of(prepared, Outcome::failed_setup),
                    job.because("the variant could not prepare, without a reason"));
  }
  if (variant.runtime) {
    if (const char* runtime = variant.runtime(job.state)) job.told.set_runtime(as_utf8(runtime));
  }
  return true;
}

bool JobRunner::choose_reference(Attempt& job) {
  const VerifyRules& rules = job.rules.measure.verify;
  const std::string name = !rules.reference.empty() ? rules.reference
                           : family_.reference      ? family_.reference
                                                    : "";
  if (!rules.enabled || name.empty()) return true;
  const Bound* bound = bind(job.plan, name);
  if (!bound) {
    return job.fail(Outcome::failed_setup, "verify.reference: no variant '" + name + "'" +
                                               did_you_mean(name, variant_names(family_)));
  }
  if (const Status filled = bound->binding.fill(job.body, job.reference_params); !filled) {
    return job.fail(Outcome::failed_setup, "verify.reference: " + filled.error().message);
  }
  job.reference = bound->variant;
  return true;
}

bool JobRunner::obtain_operands(Attempt& job) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (int i = 0; i < job.plan.columns_size() && i < job.body.values_size(); ++i) {
    const std::string& column = job.plan.columns(i);
    if (column.starts_with("input.") && !job.body.values(i).text().empty()) {
      choices.emplace_back(column.substr(6), job.body.values(i).text());
    }
  }
  wire::TensorRequests requests;
  const Status asked = operands_.request(family_, job.params.view(), job.plan.seed(), choices, requests);
  if (!asked) return job.fail(Outcome::failed_setup, asked.error().message);
  if (job.reference) {
    job.reference_identity =
        Reference::identity(family_, *job.reference, job.reference_params.text(), operands_.text());
    if (!reference_.holds(job.reference_identity))
      requests.set_reference(std::string(job.reference_identity.view()));
  }
  if (requests.tensors_size() == 0 && requests.reference().empty()) return true;

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
    wire::Input& input = *job.told.add_inputs();
    input.set_name(requests.tensors(i).name());
    input.set_summary(replies->tensors(i).summary());
    input.set_identity(replies->tensors(i).identity());
    input.set_content_hash(replies->tensors(i).content_hash());
    input.set_bytes(replies->tensors(i).bytes());
  }
  if (!requests.reference().empty() && !replies->reference().path().empty()) {
    const Status adopted = reference_.adopt(job.reference_identity, replies->reference());
    if (!adopted) return job.fail(Outcome::failed_setup, adopted.error().message);
  }
  return true;
}

bool JobRunner::verify(Attempt& job) {
  if (!job.reference) return true;
  const VerifyRules& rules = job.rules.measure.verify;
  const ks_variant& variant = *job.bound->variant;
  ks_tensor output{};
  job.told.set_repeatable(true);
  for (std::uint32_t round = 0; round < std::max(1U, rules.repeat); ++round) {
    if (const ks_status ran = variant.run(job.state); ran != KS_OK) {
      return job.fail(outcome_of(ran, Outcome::failed_run),
                      "the variant failed when it was run to be verified");
    }
    if (variant.output(job.state, &output) != KS_OK)
      return job.fail(Outcome::failed_run, "the variant could not show its output");
    if (const auto count = element_count(output); !count)
      return job.fail(Outcome::failed_run, count.error().message);
    const Digest hash = output_hash(output);
    if (job.hashed && hash != job.hash) job.told.set_repeatable(false);
    job.hash = hash;
    job.hashed = true;
  }

  if (!reference_.holds(job.reference_identity)) {
    const Status done =
        reference_.compute(job.reference_identity, *job.reference, job.reference_params.view(),
                           operands_.tensors(), job.seed, port_);
    if (!done) return job.fail(Outcome::failed_setup, done.error().message);
  }
  return compare_with_reference(job, output);
}

bool JobRunner::compare_with_reference(Attempt& job, const ks_tensor& output) {
  const VerifyRules& rules = job.rules.measure.verify;
  const ks_params params = job.params.view();
  ks_tolerance tolerance{};
  if (family_.tolerance) family_.tolerance(&params, &tolerance);
  if (const auto set = rules.tolerance.find(text_of_column(job.plan, job.body, "dtype"));
      set != rules.tolerance.end()) {
    tolerance = {set->second, 0};
  }
  const std::vector<double> values = dense_doubles(output);
  if (values.size() != reference_.values().size()) {
    return job.fail(Outcome::wrong_result, "the output has " + std::to_string(values.size()) +
                                               " elements, the reference " +
                                               std::to_string(reference_.values().size()));
  }
  const Comparison comparison = compare(values, reference_.values(), tolerance);
  job.told.set_error(comparison.error);
  job.told.set_tolerance(tolerance.relative);
  job.told.set_verified(comparison.within);
  if (!comparison.within) {
    return job.fail(Outcome::wrong_result, describe(comparison, values, reference_.values(), tolerance));
  }
  if (!values.empty() && comparison.zero_share == 1) job.told.add_grades("the output is all zeros");
  if (!job.told.repeatable()) job.told.add_grades("repeated runs gave different bits");
  return true;
}

bool JobRunner::measure(Attempt& job) {
  if (!job.leased) {
    const Instant wished = monotonic_now();
    if (const Status granted = port_.lease(); !granted)
      return job.fail(Outcome::failed_run, granted.error().message);
    job.told.set_lease_wait_s(seconds(monotonic_now() - wished));
  }
  const ks_variant& variant = *job.bound->variant;
  MeasureRules rules = job.rules.measure;
  rules.cache = job.body.cache() == static_cast<std::uint32_t>(Cache::cold) ? Cache::cold : Cache::hot;
  const Instant start = monotonic_now();
  port_.show_measuring(start);
  Samples samples = sample(variant, job.state, rules, [this] { evict_caches(); });
  job.told.set_run_s(seconds(monotonic_now() - start));
  if (samples.status != KS_OK) {
    return job.fail(outcome_of(samples.status, Outcome::failed_run),
                    "the variant reported an error, or an impossible time, while it was measured");
  }
  job.told.mutable_samples_s()->Add(samples.seconds.begin(), samples.seconds.end());
  job.told.set_calls_per_sample(samples.calls);
  job.told.set_stopped_by(std::string(samples.stopped_by));
  job.told.set_noise(samples.noise);
  job.told.set_warmup_s(samples.warmup_s);
  job.told.set_warmup_runs(samples.warmup_runs);
  if (samples.stopped_by == "max_time" && samples.seconds.size() < rules.samples.min) {
    job.told.add_grades("fewer samples than asked for: measure.samples.max_time came first");
  }
  return true;
}

void JobRunner::evict_caches() {
  constexpr std::size_t kLeast = std::size_t{32} << 20;
  if (eviction_.empty()) eviction_.resize(std::max<std::size_t>(kLeast, 3 * place_.llc_bytes));
  for (std::size_t i = 0; i < eviction_.size(); i += 64) eviction_[i] = static_cast<char>(eviction_[i] + 1);
}

void JobRunner::run(const wire::Plan& plan, const Rules& rules, const wire::JobBody& body, bool leased,
                    wire::Outcome& out) {
  const Instant start = monotonic_now();
  port_.show_job_begun(start);
  Attempt job{plan, rules, body, leased, out};
  job.seed = plan.seed();
  job.told.set_started_unix_ns(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()).count());
  out.set_outcome(static_cast<std::uint32_t>(Outcome::ok));
  const bool prepared = set_up(job) && verify(job);
  job.told.set_setup_s(seconds(monotonic_now() - start));
  if (prepared && measure(job)) {
    ks_work work{};
    const ks_params params = job.params.view();
    if (family_.work && family_.work(&params, &work, job.reason_buffer()) == KS_OK) {
      job.told.set_flops(work.flops);
      job.told.set_bytes(work.bytes);
    }
    ks_tensor output{};
    const ks_variant& variant = *job.bound->variant;
    if (job.hashed && variant.output(job.state, &output) == KS_OK && element_count(output) &&
        output_hash(output) != job.hash) {
      job.told.add_grades("the output changed while it was measured");
      job.told.set_repeatable(false);
    }
  }
  if (job.state) job.bound->variant->release(job.state);
  memory_.clear();
  if (job.hashed) job.told.set_output_hash(std::string(job.hash.view()));
  job.told.set_affinity(place_.affinity);
  job.told.set_slot_pid(static_cast<std::uint32_t>(getpid()));
  const ks_pack& pack = pack_.description();
  job.told.set_pack(as_utf8(std::string(pack.name) + " " + (pack.version ? pack.version : "")));
  job.told.set_pack_build(as_utf8(pack.build ? pack.build : ""));
  job.told.set_peak_memory_bytes(peak_memory());
  if (rules.measure.quick) job.told.add_grades("measured with --quick");
  out.set_busy_ns((monotonic_now() - start).count());
  out.set_body(job.told.SerializeAsString());
}

}  // namespace kernsweep
