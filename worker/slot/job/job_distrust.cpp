// A job whose kernel is distrusted: `verify: {distrust: true}`, docs/distrust.md. This process loads no
// pack: the kernel runs in an isolated process, the reference in another one.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "shared/text/choices.hpp"
#include "shared/text/home_path.hpp"
#include "shared/wire/convert.hpp"
#include "tensors/tensor_answers.hpp"
#include "worker/slot/isolated/distrusted_calls.hpp"
#include "worker/slot/isolated/isolated_pack.hpp"
#include "worker/slot/isolated/parameters.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/job/job_distrusted.hpp"
#include "worker/slot/pack/pack_search.hpp"
#include "worker/slot/verify/output.hpp"
#include "worker/slot/watch/gauges.hpp"

namespace kernsweep {
namespace {

// Calls before the section, at most: a single product of small integers is 0 with a probability of a third.
constexpr std::size_t kVerifiedMost = 32;
// The number of outputs that are checked: so many that the references take about kCheckTime, within these
// bounds and those of memory. A kernel that cheats in half of its calls, so that its median changes, passes
// four checks with a probability of 6 %, and sixty-four never.
constexpr std::size_t kChecksLeast = 4, kChecksMost = 64;
constexpr Duration kCheckTime = std::chrono::seconds(2);
constexpr std::size_t kKeptBytesMax = std::size_t{1} << 30;
// The share of a sample that may be the time to pass a task.
constexpr double kHandingOverShare = 0.01;

bool has(const std::vector<std::string>& names, const std::string& operand) {
  return std::ranges::find(names, operand) != names.end();
}

// The part of ks_family::least that is valid for the operands: the family's numbers may be right only for
// operands that change in each call and are drawn as it declares.
std::string least_of(const ks_family& family, const std::vector<Operand>& operands,
                     bool drawn_as_declared) {
  const bool all_change = std::ranges::none_of(operands, &Operand::is_constant);
  std::string out;
  for (const std::string& name : split_choices(family.least && drawn_as_declared ? family.least : ""))
    if (name == "flops" || (name == "bytes" && all_change)) out += (out.empty() ? "" : "|") + name;
  return out;
}

std::string shape_of(const ks_tensor& tensor) {
  return text_of_shape({tensor.shape, tensor.shape + tensor.rank});
}

}  // namespace

int JobRunner::isolated_process() const {
  return distrusted_ && distrusted_->calls.kernel().has_begun()
             ? static_cast<int>(distrusted_->calls.kernel().isolated().pid())
             : 0;
}

const PeakMemory& JobRunner::peak_memory() const {
  return distrusted_ ? distrusted_->peak : peak_memory_;
}

// Rejects jobs that cannot be measured in this way, because a partial measurement would be believed.
bool JobRunner::refuse_distrusted(Attempt& job) {
  constexpr const char* kWhat = "verify.distrust: ";
  std::string why = unkept_distrust(job.rules.measure.verify,
                                    job.body.cache() == static_cast<std::uint32_t>(Cache::cold));
  if (why.empty() && (!place_.gpus.empty() || pack_.device_of(*job.bound->variant) == "gpu"))
    why = "a kernel on a GPU cannot be isolated";
  return why.empty() || job.fail(Outcome::failed_setup, kWhat + why);
}

// Sets the descriptions of the operands, and which of them change from call to call.
bool JobRunner::draw_operands(Attempt& job, bool varies_by_seed, std::vector<Operand>& out) {
  wire::TensorRequests requests;
  const auto choices = chosen_distributions(job);
  const std::vector<std::string> in_place = in_place_operands(job);
  const std::vector<ks_input>& inputs = distrusted_->facts.inputs;
  const Distrusted& own = *distrusted_;
  const Status asked = Operands::request(inputs, job.seed, choices, requests);
  if (!asked) return job.fail(Outcome::failed_setup, asked.error().message);
  const IsolatedPack* const said_by = own.reference_pack                ? own.reference_pack.get()
                                      : is_installed_pack(pack_.path()) ? isolated_
                                                                        : nullptr;
  bool varies = varies_by_seed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto spec = tensor_spec_of(requests.tensors(static_cast<int>(i)).spec());
    if (!spec) return job.fail(Outcome::failed_setup, spec.error().message);
    if (spec->file)
      return job.fail(Outcome::failed_setup, "verify.distrust: the operand '" +
                                                 std::string(inputs[i].name) +
                                                 "' is a file, whose content a kernel may know; give it a "
                                                 "distribution");
    const Status valid = spec->valid();
    if (!valid) return job.fail(Outcome::failed_setup, valid.error().message);
    const bool is_in_place = has(in_place, inputs[i].name);
    const bool is_constant = !is_in_place && ((said_by && said_by->is_constant(inputs[i].name)) ||
                                              has(job.described.constant, inputs[i].name));
    varies = varies || (!is_constant && spec->bytes() > 0);
    std::string& operands = *job.result.mutable_distrust()->mutable_operands();
    operands += (operands.empty() ? "" : "; ") + std::string(inputs[i].name) + " " +
                std::string(name_of(spec->dtype)) + text_of_shape(spec->shape) + " " +
                spec->distribution_text() + (is_constant ? ", drawn once" : ", drawn for each call") +
                (is_in_place ? ", may be overwritten" : "");
    out.push_back({inputs[i], std::move(*spec), is_constant, is_in_place});
  }
  if (said_by) job.result.mutable_distrust()->set_least(least_of(said_by->family(), out, choices.empty()));
  return varies || job.fail(Outcome::failed_setup,
                            "verify.distrust: no operand of this kernel changes from call to call, so a "
                            "stored result could not be distinguished from a computed one");
}

bool JobRunner::set_up_distrusted(Attempt& job) {
  distrusted_ = std::make_unique<Distrusted>();
  if (!note_depends(job) || !describe_operands(job)) return false;
  const std::string name = text_of_column(job.plan, job.body, "variant");
  job.bound = bind(job.plan, name);
  if (!job.bound) return job.fail(Outcome::failed_setup, "the family has no variant '" + name + "'");
  if (const Status filled = job.bound->binding.fill(job.body, job.params); !filled)
    return job.fail(Outcome::failed_setup, filled.error().message);
  if (!refuse_distrusted(job)) return false;
  DistrustedCalls& calls = distrusted_->calls;
  const char* const variant = job.bound->variant->name;
  const auto passed = [&](const IsolatedKernel::Failed& failed) {
    return !failed || job.fail(failed->outcome, failed->reason);
  };
  job.state = &calls;
  std::vector<std::string> readable;
  for (const wire::Built& built : job.body.built()) readable.push_back(built.path());
  if (!passed(calls.kernel().begin(pack_.path(), family_.name, readable))) return false;
  job.result.mutable_distrust()->set_secret(calls.secret());
  job.result.mutable_distrust()->set_isolation(calls.kernel().isolated().isolation());
  const std::string about = "/proc/" + std::to_string(isolated_process()) + "/";
  distrusted_->peak = PeakMemory(about + "clear_refs", about + "status");
  distrusted_->peak.begin_job(watched(job.rules.measure));
  if (!passed(calls.kernel().can_run(variant, job.params.view())) || !choose_reference(job)) return false;
  if (!distrusted_->reference_variant && !job.outside)
    return job.fail(
        Outcome::failed_setup,
        "verify.distrust: there is no reference to check the kernel by; name one by verify.reference");
  if (!ask_for_operands(job)) return false;
  DistrustedCalls::Task task{pack_.path(),
                             family_.name,
                             variant,
                             job.params.view(),
                             {},
                             place_.threads,
                             family_.any_params != 0 && job.described.empty(),
                             prints_text()};
  if (!draw_operands(job, task.varies_by_seed, task.operands)) return false;
  if (!passed(calls.prepare(std::move(task)))) return false;
  wire::IsolatedAnswer answer;
  if (!passed(calls.kernel().metrics(answer))) return false;
  if (!answer.runtime().empty()) job.result.set_runtime(as_utf8(answer.runtime()));
  return true;
}

ks_tolerance JobRunner::declared_tolerance(const Attempt& job) const {
  if (distrusted_) return distrusted_->facts.tolerance;
  ks_tolerance tolerance{};
  const ks_params params = job.params.view();
  if (family_.tolerance) family_.tolerance(&params, &tolerance);
  return tolerance;
}

// Sets the reason why a call of the section has failed.
bool JobRunner::fail_call(Attempt& job) {
  const auto& failure = distrusted_->calls.failure();
  if (!failure) return true;
  job.result.clear_samples_s();
  return job.fail(failure->outcome, failure->reason);
}

void JobRunner::tell_sources() {
  for (const wire::IsolatedSource& source : distrusted_->calls.kernel().take_sources())
    sources_.report(source.role().c_str(), source.name().c_str(), source.path().c_str());
}

bool JobRunner::choose_isolated_variant(Attempt& job, const std::string& name, const wire::JobBody& body) {
  Distrusted& own = *distrusted_;
  const std::string what = "verify.reference: ";
  // The installation's pack first, because a kernel's author may have given it another variant of this
  // name.
  std::vector<std::string> files;
  const auto known = place_.packs.find(name);
  const bool is_known = known != place_.packs.end();
  if (is_known && is_installed_pack(known->second)) {
    files.push_back(known->second);
  } else {
    if (const auto installed = pack_with_kernel(family_.name, name)) files.push_back(*installed);
    if (is_known) files.push_back(known->second);
  }
  files.push_back(pack_.path());
  for (const std::string& file : files) {
    if (const auto failed = own.reference.begin(file, family_.name)) continue;
    own.reference_file = file;
    own.reference_pack = std::make_unique<IsolatedPack>(own.reference.isolated().family());
    own.reference_variant = variant_of(own.reference_pack->family(), name);
    if (own.reference_variant) break;
  }
  if (!own.reference_variant)
    return job.fail(Outcome::failed_setup, what + "no pack can be used that has a variant '" + name + "'");
  const ks_family& family = own.reference_pack->family();
  const std::vector<std::string> columns(job.plan.columns().begin(), job.plan.columns().end());
  own.reference_binding.emplace(family, *own.reference_variant, columns);
  if (const Status filled = own.reference_binding->fill(body, job.reference_params); !filled)
    return job.fail(Outcome::failed_setup, what + filled.error().message);
  return true;
}

// The operands are those of the reference's family; the kernel's must be the same.
bool JobRunner::ask_for_operands(Attempt& job) {
  Distrusted& own = *distrusted_;
  PointFacts said;
  const auto failed = own.calls.kernel().describe(job.bound->variant->name, job.params.view(), said);
  if (failed) return job.fail(failed->outcome, failed->reason);
  if (!job.described.empty()) said.inputs = job.described.inputs;
  own.facts = said;
  if (!own.reference_variant) {
    if (is_installed_pack(pack_.path())) return true;
    // The work that a stranger's file declares for its own kernel is not used.
    own.facts.work.reset();
    own.facts.tolerance = {};
    return !job.rules.measure.verify.tolerance.empty() ||
           job.fail(Outcome::failed_setup,
                    "verify.distrust: the tolerance would come from the kernel's own file, which is not "
                    "trusted; set verify.tolerance");
  }
  const auto flaw =
      own.reference.describe(own.reference_variant->name, job.reference_params.view(), own.facts);
  if (flaw) return job.fail(flaw->outcome, "verify.reference: " + flaw->reason);
  return same_operands(said.inputs, own.facts.inputs) ||
         job.fail(Outcome::failed_setup,
                  "verify.distrust: the kernel asks for other operands than the reference, so it answers "
                  "another problem");
}

// Computes the reference output of that call into reference_.
bool JobRunner::compute_for_call(Attempt& job, std::uint64_t call) {
  Distrusted& own = *distrusted_;
  const DistrustedCalls::Task& task = own.calls.task();
  const Digest identity =
      digest_of("call/" + std::to_string(own.calls.secret()) + "/" + std::to_string(call));
  const auto failed = [&](const IsolatedFailure& flaw) {
    return job.fail(flaw.outcome, "verify.reference: " + flaw.reason);
  };
  if (job.outside) {
    auto sealed = sealed_operands(task.operands, own.calls.secret(), call, place_.threads);
    if (!sealed) return job.fail(Outcome::out_of_memory, sealed.error().message);
    own.sealed = std::move(*sealed);
    job.outside->operands.clear();
    for (std::size_t i = 0; i < own.sealed.size(); ++i) {
      const Operand& operand = task.operands[i];
      job.outside->operands.push_back({operand.input.name, own.sealed[i].path(), own.sealed[i].bytes(),
                                       operand.input.dtype, operand.spec.shape});
    }
    job.outside->seed = seed_in_call(own.calls.secret(), call);
    job.reference_identity = identity;
    reference_.forget();
    return compute_outside_reference(job);
  }
  if (own.reference_operands.descriptors().empty() && !task.operands.empty()) {
    own.reference_inputs = task.operands;
    const char* const in_place = own.reference_pack->family().in_place;
    for (Operand& operand : own.reference_inputs)
      operand.is_in_place = has(split_choices(in_place ? in_place : ""), operand.input.name);
    auto made = FreshOperands::make(own.reference_inputs);
    if (!made) return job.fail(Outcome::out_of_memory, made.error().message);
    own.reference_operands = std::move(*made);
  }
  if (const Status filled =
          own.reference_operands.fill(own.calls.secret(), call, FreshOperands::Which::all, place_.threads);
      !filled)
    return job.fail(Outcome::failed_setup, filled.error().message);
  KeptOutput kept;
  ThereOutput there;
  const Preparation prepared{own.reference_variant->name, job.reference_params.view(), place_.threads,
                             seed_in_call(own.calls.secret(), call), own.reference_inputs};
  if (const auto flaw = own.reference.prepare(prepared, own.reference_operands.descriptors()))
    return failed(*flaw);
  if (const auto flaw = own.reference.run(there)) return failed(*flaw);
  if (const auto flaw = own.reference.copy(there, kReferenceBytesMax, kept)) return failed(*flaw);
  auto right = reference_output_of(kept.tensor, false, kept.parts, kept.keys);
  if (right) right = with_own_values(*std::move(right));
  if (!right) return failed({Outcome::out_of_memory, right.error().message});
  own.reference_shape = shape_of(kept.tensor);
  reference_.hold(identity, std::move(*right));
  return true;
}

bool JobRunner::judge_call(Attempt& job, const KeptOutput& output, const std::string& which) {
  const std::string& shape = distrusted_->reference_shape;
  if (!shape.empty() && shape != shape_of(output.tensor)) {
    job.result.clear_samples_s();
    return job.fail(Outcome::wrong_result, which + "the output has the shape " + shape_of(output.tensor) +
                                               ", the reference " + shape);
  }
  const auto judged = judge(output.tensor, prints_text(), reference_.output(), job.allowance, job.slice,
                            output.parts, output.keys);
  if (!judged) return job.fail(Outcome::out_of_memory, judged.error().message);
  job.result.set_verified(judged->within);
  ++distrusted_->compared;
  if (!judged->values.empty() && judged->flaw.empty()) tell_comparison(job, *judged);
  if (judged->within) return true;
  job.result.clear_samples_s();
  const std::string flaw =
      !judged->flaw.empty() ? judged->flaw : describe(judged->comparison, judged->values, judged->right);
  return job.fail(Outcome::wrong_result, which + flaw);
}

// Two calls on different content; more while all have the same right output, which happens by chance if
// there are few elements with few values.
bool JobRunner::verify_distrusted(Attempt& job) {
  const PhaseTimer timer(job.spent.verified);
  Distrusted& own = *distrusted_;
  ReferenceOutput first;
  bool differ = false;
  Duration took{};
  for (std::size_t round = 0; round < 2 || (!differ && round < kVerifiedMost); ++round) {
    if (const auto failed = own.calls.run_kept()) return job.fail(failed->outcome, failed->reason);
    const KeptOutput& kept = own.calls.kept().back();
    const auto count = element_count(kept.tensor);
    if (!count || *count == 0)
      return job.fail(Outcome::failed_setup,
                      "verify.distrust: the kernel has no output that could be checked");
    if (round == 0) job.allowance = allowance_of(job);
    const Instant begun = monotonic_now();
    if (!compute_for_call(job, kept.call)) return false;
    took = monotonic_now() - begun;
    if (round == 0 && own.facts.tolerance.scale_dims > 0)
      job.slice = elements_of_scale(kept.tensor, reference_.output(), own.facts.tolerance.scale_dims);
    ReferenceOutput right = reference_.output();
    for (const ReferenceOutput::Source& source : reference_.output().sources)
      (void)sources_.note("reference", source.name, source.path);
    right.sources.clear();
    differ = round > 0 && !(right == first);
    if (round == 0) first = std::move(right);
    if (!judge_call(job, kept, round == 0 ? "" : "the second call, on other data: ")) return false;
  }
  if (!differ)
    return job.fail(
        Outcome::failed_setup,
        own.calls.task().varies_by_seed
            ? "verify.distrust: the right output is the same whatever the seed; let the kernel and the "
              "reference make their data from it (`seed` of a function, KERNSWEEP_SEED of a command), so "
              "that no call can be answered with a stored result"
            : "verify.distrust: the right output is the same whatever the operands hold, so that every "
              "call could be answered with a stored result");
  tell_sources();
  const std::size_t bytes = std::max<std::size_t>(own.calls.kept().back().bytes.size(), 1);
  const auto affordable =
      static_cast<std::size_t>(kCheckTime / std::max<Duration>(took, std::chrono::microseconds(1)));
  own.calls.keep(std::max(kChecksLeast, std::min({affordable, kChecksMost, kKeptBytesMax / bytes})));
  return true;
}

// Checks the drawn calls, after the last timed one. The kernel's process is stopped.
void JobRunner::check_distrusted(Attempt& job) {
  Distrusted& own = *distrusted_;
  const DistrustedCalls& calls = own.calls;
  const double handing_over = seconds(calls.handing_over());
  if (own.facts.work) tell_work(job, *own.facts.work);
  wire::Distrust& held = *job.result.mutable_distrust();
  held.set_calls(calls.made());
  held.set_handing_over_s(handing_over);
  std::array<char, 160> text{};
  const double sample_s = calls.mean_s();
  if (handing_over > kHandingOverShare * sample_s) {
    std::snprintf(text.data(), text.size(),
                  "handing a call over to the isolated process takes %.2g us, %.2g %% of it",
                  handing_over * 1e6, handing_over / sample_s * 100);
    job.result.add_grades(text.data());
  }
  if (calls.task().varies_by_seed)
    job.result.add_notes("the kernel makes its own data, so the time of preparing it is part of each call");
  if (own.reference_file == pack_.path() && !is_installed_pack(pack_.path())) {
    job.result.add_grades("the reference comes from the same file as the kernel");
  } else if (own.reference_variant && !is_installed_pack(own.reference_file)) {
    job.result.add_grades(as_utf8("the reference comes from a file that is not of this installation: " +
                                  without_home(own.reference_file)));
  }
  for (const KeptOutput& kept : calls.kept()) {
    if (!compute_for_call(job, kept.call) ||
        !judge_call(job, kept,
                    "call " + std::to_string(kept.call + 1) + " of " + std::to_string(calls.made()) +
                        ", which was drawn to be checked: ")) {
      job.result.clear_samples_s();
      return;
    }
  }
  held.set_checked(static_cast<std::uint32_t>(own.compared));
}

}  // namespace kernsweep
