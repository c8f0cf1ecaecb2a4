// The reference of a job's output: chosen before the operands are obtained, computed when the output
// exists.
#include <algorithm>
#include <cmath>

#include "shared/base/instant.hpp"
#include "shared/base/operand_text.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/suggest.hpp"
#include "shared/wire/convert.hpp"
#include "worker/slot/job/job_attempt.hpp"

namespace kernsweep {
namespace {

// The part of timeout.setup that is kept to report a failure, but at most half of the remaining time.
constexpr Duration kToReport = std::chrono::seconds(1);
constexpr std::size_t kShownMax = 200;
constexpr const char* kWhat = "verify.reference: ";

std::vector<ks_input> operands_of(const ks_family& family, const ks_params& params) {
  std::vector<ks_input> inputs(KS_INPUTS_MAX, ks_input{});
  std::size_t count = 0;
  std::array<char, 512> why{};
  if (!family.inputs ||
      family.inputs(&params, inputs.data(), inputs.size(), &count, {why.data(), why.size()}) != KS_OK)
    return {};
  inputs.resize(std::min(count, inputs.size()));
  return inputs;
}

// The additional columns of a command that determine what it runs. The numbers that it prints do not
// matter.
bool is_run_by_command(std::string_view column) {
  return column == "command.line" || column == "command.setup" || column == "command.cleanup";
}

// Moves what a function may get as arguments from the task to `reference_values`.
void split_parameters(OutsideTask& task, wire::TensorRequests& requests) {
  const auto add = [&](const std::string& name, const Value& value) {
    JsonTree one = JsonTree::object();
    one.add(name, value);
    wire::ReferenceValue& out = *requests.add_reference_values();
    out.set_name(name);
    out.set_text(text_of(one));
  };
  std::erase_if(task.values, [&](const auto& value) {
    const bool is_parameter = value.first != task.family && value.first.find('.') == std::string::npos;
    if (is_parameter) add(value.first, value.second);
    return is_parameter;
  });
  const auto& known = requests.reference_values();
  if (std::ranges::none_of(known, [](const auto& value) { return value.name() == "threads"; }))
    add("threads", Value(static_cast<std::int64_t>(task.threads)));
  task.threads = 0;
}

}  // namespace

bool JobRunner::choose_variant(Attempt& job, const std::string& name, const wire::JobBody& body) {
  if (isolated_) return choose_isolated_variant(job, name, body);
  const Bound* bound = bind(job.plan, name);
  if (!bound) {
    return job.fail(Outcome::failed_setup,
                    kWhat + ("no variant '" + name + "'") + did_you_mean(name, variant_names(family_)));
  }
  if (const Status filled = bound->binding.fill(body, job.reference_params); !filled)
    return job.fail(Outcome::failed_setup, kWhat + filled.error().message);
  job.reference = bound->variant;
  return true;
}

// The values of the job, with those that the reference replaces.
bool JobRunner::choose_setting(Attempt& job) {
  job.reference_body = job.body;
  for (const auto& [column, value] : job.body.replaced()) {
    if (column >= static_cast<std::uint32_t>(job.reference_body.values_size()))
      return job.fail(Outcome::failed_setup, kWhat + std::string("a column is replaced that no job has"));
    *job.reference_body.mutable_values(static_cast<int>(column)) = value;
  }
  job.is_its_own_reference = job.body.replaced().empty();
  if (family_.any_params) return asks_for_the_same(job) && choose_outside(job, job.reference_body);
  const std::string variant = text_of_column(job.plan, job.reference_body, "variant");
  if (!choose_variant(job, variant, job.reference_body)) return false;
  if (same_operands(operands_of(family_, job.params.view()),
                    operands_of(family_, job.reference_params.view())))
    return true;
  return job.fail(Outcome::failed_setup,
                  kWhat + text_of(job.rules.measure.verify.reference) +
                      ": with it the kernel asks for other operands, so it is another problem");
}

// Whether a setting does not change the operands that the sweep describes.
bool JobRunner::asks_for_the_same(Attempt& job) {
  for (int i = 0; i < job.plan.columns_size() && i < job.body.values_size(); ++i) {
    const std::string &there = job.reference_body.values(i).text(), &here = job.body.values(i).text();
    if (job.plan.columns(i).starts_with(kOperandColumn) && there != here)
      return job.fail(Outcome::failed_setup, kWhat + text_of(job.rules.measure.verify.reference) +
                                                 ": with it '" + job.plan.columns(i) + "' is " + there +
                                                 " and not " + here + ", so it is another problem");
  }
  return true;
}

// A command or a function that runs in a process of its own.
bool JobRunner::choose_outside(Attempt& job, const wire::JobBody& body) {
  const ReferenceRule& rule = job.rules.measure.verify.reference;
  OutsideTask& task = job.outside.emplace();
  const bool is_setting = rule.kind == ReferenceKind::setting;
  task.family = is_setting ? family_.name : std::string(name_of(rule.kind));
  task.is_function = rule.kind == ReferenceKind::python;
  task.threads = place_.threads;
  task.seed = job.seed;
  for (int i = 0; i < job.plan.columns_size() && i < body.values_size(); ++i) {
    const std::string& name = job.plan.columns(i);
    const bool surrounds = prints_text() && name.starts_with("command.");
    const bool is_program = name == "command" || name == "python" || surrounds;
    if (is_program && is_setting && (!surrounds || is_run_by_command(name)))
      task.values.emplace_back(name, decode(body.values(i)));
    if (name.empty() || is_program || is_kept_from_kernels(name) || task.family == "command") continue;
    if (body.values(i).kind_case() != wire::Value::KIND_NOT_SET)
      task.values.emplace_back(name, decode(body.values(i)));
  }
  const std::string& text = job.body.reference().empty() ? rule.text : job.body.reference();
  if (!is_setting) task.values.emplace_back(task.family, text);
  if (rule.kind == ReferenceKind::command) job.verified_by = "command " + text;
  return true;
}

bool JobRunner::choose_reference(Attempt& job) {
  const VerifyRules& rules = job.rules.measure.verify;
  const ReferenceRule& rule = rules.reference;
  if (!rules.enabled) return true;
  job.verified_by = text_of(rule);
  bool chosen = true;
  switch (rule.kind) {
    case ReferenceKind::variant: {
      const std::string name = !rule.text.empty() ? rule.text : family_.reference ? family_.reference : "";
      job.verified_by = name.empty() ? "" : "variant " + name;
      if (name.empty()) return true;
      job.is_its_own_reference = name == job.bound->variant->name;
      chosen = choose_variant(job, name, job.body);
      break;
    }
    case ReferenceKind::setting:
      chosen = choose_setting(job);
      break;
    case ReferenceKind::command:
    case ReferenceKind::python:
      chosen = choose_outside(job, job.body);
      break;
    case ReferenceKind::file:
      job.reference_file = job.body.reference().empty() ? rule.text : job.body.reference();
      job.verified_by = "file " + job.reference_file;
      break;
  }
  if (!chosen) return false;
  if (job.is_its_own_reference) job.verified_by += ", which is the point itself";
  job.result.set_verified_by(as_utf8(job.verified_by));
  if (prints_text()) job.params.add("command.keeps", static_cast<std::int64_t>(kReferenceTextMax));
  return true;
}

// Identity of the computation without its operands. Settings of the family do not change what is computed;
// if the sweep names a setting as the reference, they are part of it. So are variables of the sweep,
// because a process of its own has them, too.
void JobRunner::request_reference(Attempt& job, wire::TensorRequests& requests) const {
  if (!job.reference && !job.outside) return;
  if (const auto& held = reference_.identity()) requests.set_reference_held(std::string(held->view()));
  if (job.reference) {
    const bool is_setting = job.rules.measure.verify.reference.kind == ReferenceKind::setting;
    const auto left_out = is_setting ? std::vector<std::string>() : pack_.settings_of(family_);
    const Digest computation = Reference::computation(place_.pack_content, family_, *job.reference,
                                                      job.reference_params.text(left_out), job.seed);
    requests.set_reference(std::string(computation.view()));
    return;
  }
  OutsideTask task = *job.outside;
  if (task.is_function) split_parameters(task, requests);
  std::string text = "outside reference/" + text_of(task);
  for (const auto& operand : requests.tensors()) text += "/" + operand.name();
  for (const auto& [name, value] : place_.environment) text += "/" + name + "=" + value;
  // It may read the files that jobs of the sweep read.
  for (const std::string& file : job.plan.depends())
    if (const auto hash = port_.file_hashes().hash_of(file)) text += "/" + file + "=" + hash->hex();
  requests.set_reference(std::string(digest_of(text).view()));
  if (job.outside->is_function && !isolated_) job.shared_reference.emplace().requests = requests;
}

// A reference that cannot be obtained is computed during verification.
bool JobRunner::accept_reference(Attempt& job, const wire::TensorRequests& requests,
                                 const wire::TensorReplies& replies) {
  const wire::TensorPlace& place = replies.reference();
  const auto identity = digest_from_bytes(place.identity());
  if (!identity)
    return job.fail(Outcome::failed_setup, "the worker did not say which reference to verify by");
  job.reference_identity = *identity;
  if (!reference_.holds(*identity) && !place.path().empty()) (void)reference_.adopt(*identity, place);
  if (!job.outside) return true;
  if (job.shared_reference) job.shared_reference->note(replies);
  if (!is_current(reference_.output(), port_.file_hashes())) reference_.forget();
  for (int i = 0; i < replies.tensors_size(); ++i) {
    const wire::TensorPlace& operand = replies.tensors(i);
    const ks_tensor& tensor = operands_.tensors()[static_cast<std::size_t>(i)];
    job.outside->operands.push_back({requests.tensors(i).name(),
                                     operand.path(),
                                     operand.bytes(),
                                     tensor.dtype,
                                     {tensor.shape, tensor.shape + tensor.rank}});
  }
  return true;
}

bool JobRunner::obtain_reference(Attempt& job) {
  const PhaseTimer timer(job.spent.reference);
  if (!job.reference_file.empty()) return read_reference_file(job);
  if (!reference_.holds(job.reference_identity)) {
    if (job.outside ? !compute_outside_reference(job) : !compute_reference(job)) return false;
  }
  note_reference(reference_.output().sources);
  return true;
}

void JobRunner::note_reference(const std::vector<ReferenceOutput::Source>& sources) {
  for (const ReferenceOutput::Source& source : sources) {
    const bool keeps_role = source.role == "started" || source.role.starts_with("interpreter");
    const std::string role = keeps_role                 ? source.role
                             : source.role == "program" ? "reference_program"
                                                        : "reference";
    (void)sources_.note(role, source.name, source.path);
  }
}

bool JobRunner::compute_reference(Attempt& job) {
  GuardedMemory memory;  // also for copies of operands that the reference overwrites
  InPlace in_place;
  std::vector<ks_tensor> operands;
  if (!place_operands(job, memory, operands, in_place)) return false;
  const auto failed =
      reference_.compute(job.reference_identity, *job.reference, job.reference_params.view(), operands,
                         place_.threads, job.seed, port_);
  return !failed || job.fail(failed->outcome, failed->reason);
}

bool JobRunner::compute_outside_reference(Attempt& job) {
  const Duration spent = monotonic_now() - job.begun;
  const Duration left = std::max(job.rules.timeout.setup - spent, Duration::zero());
  OutsideAnswer answer = compute_outside(*job.outside, std::max(left - kToReport, left / 2));
  const std::string who = kWhat + one_line(job.verified_by, kShownMax) + ": ";
  if (answer.outcome != Outcome::ok) {
    note_reference(answer.output.sources);
    return job.fail(answer.outcome, who + answer.reason);
  }
  for (ReferenceOutput::Source& source : answer.output.sources) {
    const auto hash = port_.file_hashes().hash_of(source.path);
    source.hash = hash ? hash->hex() : "";
  }
  for (const ReferenceOutput& again : answer.again) {
    const Judgement same = judge(again, answer.output, allowance_of(job));
    if (!same.within)
      return job.fail(
          Outcome::failed_setup,
          who + "run twice, it gave two outputs" + (same.flaw.empty() ? "" : " (" + same.flaw + ")") +
              ", so it does not show which one is right; make it give the same output each time");
  }
  if (job.shared_reference && answer.reads)
    job.reference_identity = job.shared_reference->identity_with(*answer.reads);
  reference_.hold(job.reference_identity, std::move(answer.output));
  if (!isolated_) reference_.share(port_, job.shared_reference ? &*job.shared_reference : nullptr);
  return true;
}

bool JobRunner::read_reference_file(Attempt& job) {
  const auto content = port_.file_hashes().content_of(job.reference_file);
  if (!content) {
    return job.fail(Outcome::failed_setup,
                    kWhat + content.error().message +
                        "; the path counts from the sweep file, and on another host from the folder where "
                        "the worker was started");
  }
  (void)sources_.note("reference", job.reference_file, job.reference_file);
  const Digest identity = digest_of("reference file/" + job.reference_file + "/" + content->hash.hex());
  if (reference_.holds(identity)) return true;
  auto output = reference_output_in(job.reference_file);
  if (!output) return job.fail(Outcome::failed_setup, kWhat + output.error().message);
  if (output->values.empty() &&
      !(output->text && output->text->find_first_not_of(" \t\r\n") != std::string::npos))
    return job.fail(Outcome::failed_setup,
                    kWhat + job.reference_file + ": is empty, so there is nothing to compare with");
  reference_.hold(identity, std::move(*output));
  return true;
}

}  // namespace kernsweep
