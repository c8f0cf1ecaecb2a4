// Checks the output of the timed calls: whether they computed it, and whether it is still right.
#include <algorithm>
#include <new>
#include <optional>
#include <thread>

#include "shared/stats/statistics.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/verify/output.hpp"
#include "worker/slot/verify/output_sampling.hpp"

namespace kernsweep {
namespace {

// How long after a call its output is checked again: twice a median call, within these bounds.
constexpr Duration kLateLeast = 200us, kLateMost = 1ms;

bool is_same_place(const ks_tensor& a, const ks_tensor& b) {
  return a.data == b.data && a.dtype == b.dtype && a.rank == b.rank &&
         std::equal(a.shape, a.shape + a.rank, b.shape) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

}  // namespace

// Whether the host may overwrite an output between calls: in memory of the job; and, since version 1.6 of
// the interface, in any private writable memory, unless the variant does that itself (check_kept_output),
// or has the output on a GPU and shows a copy.
bool JobRunner::may_overwrite(const Attempt& job, const ks_tensor& output) const {
  if (lies_in(memory_, output)) return true;
  const ks_variant& variant = *job.bound->variant;
  return pack_.is_since(6) && !pack_.overwrites(variant) && pack_.device_of(variant) != "gpu" &&
         lies_in_writable_memory(output);
}

// Poisons the output if that is allowed; otherwise returns false.
bool JobRunner::overwrite(const Attempt& job, const ks_tensor& output) {
  if (!may_overwrite(job, output)) return false;
  poison(output);
  return true;
}

bool JobRunner::fail_uncomputed(Attempt& job, const ks_tensor& output) {
  const std::uint64_t left = poisoned_elements(output), all = *element_count(output);
  job.result.clear_samples_s();
  job.result.set_verified(false);
  return job.fail(Outcome::wrong_result,
                  "a call did not write " + std::to_string(left) + " of " + std::to_string(all) +
                      " elements of its output; each call must compute the whole output");
}

// Overwrites the output of a state, calls the variant, and checks the output; `late`: also whether it
// changes that long after the call has returned. The job fails if the call did not compute it.
bool JobRunner::check_call(Attempt& job, void* state, ks_tensor& output, Duration late) {
  const ks_variant& variant = *job.bound->variant;
  poison(output);
  if (!job.good(call(job, state))) {
    fail_measured(job, job.explained("the variant failed when it was run again"));
    return false;
  }
  std::optional<Digest> hash;
  if (late > Duration::zero()) {
    const Digest returned = output_hash(output);
    std::this_thread::sleep_for(late);
    hash = output_hash(output);
    if (*hash != returned) {
      job.result.clear_samples_s();
      job.result.set_verified(false);
      return job.fail(Outcome::wrong_result,
                      "the output was still being written after the call had returned; a call must return "
                      "when its work is done");
    }
  }
  const ks_tensor written = output;
  if (!job.good(variant.output(state, &output)) || !element_count(output)) return true;
  if (!hash || !is_same_place(output, written)) hash = output_hash(output);
  if (*hash == job.hash || still_right(job, state, output)) return true;
  if (was_left(output)) return fail_uncomputed(job, output);
  // An operand that was written back does not show a call that did nothing.
  if (job.in_place.empty()) return true;
  job.result.clear_samples_s();
  job.result.set_verified(false);
  return job.fail(
      Outcome::wrong_result,
      "a later call on the same operands gave another output, which is wrong; every call must do "
      "the whole work on what its operands hold then");
}

// Two calls in a row of each state: if a variant computes only in some calls, one of the two does not.
bool JobRunner::check_timed_calls(Attempt& job) {
  const ks_variant& variant = *job.bound->variant;
  if (!job.hashed || pack_.device_of(variant) == "gpu") return true;
  Duration late{};
  if (watched(job.rules.measure)) {
    const std::vector<double> samples(job.result.samples_s().begin(), job.result.samples_s().end());
    late = std::clamp(from_seconds(2 * summarise(samples).median), kLateLeast, kLateMost);
  }
  for (void* const state : job.states()) {
    ks_tensor output{};
    if (!job.good(variant.output(state, &output)) || !element_count(output) || !may_overwrite(job, output))
      continue;
    if (!check_call(job, state, output, late)) return false;
    if (may_overwrite(job, output) && !check_call(job, state, output, {})) return false;
  }
  return true;
}

// Whether a changed output is still within the tolerance.
bool JobRunner::still_right(const Attempt& job, void* state, const ks_tensor& output) const {
  const auto judged =
      judge(output, prints_text(), reference_.output(), job.allowance, job.slice,
            pack_.parts_of(*job.bound->variant, state, output), pack_.keys_of(*job.bound->variant, state));
  return judged && judged->within;
}

// The output of every timed state, before any other call, must be unchanged. If repeated runs of the
// variant gave different bits before, a change only counts if the output is now wrong.
void JobRunner::hash_again(Attempt& job) {
  if (!job.hashed) return;
  for (void* const state : job.states()) {
    ks_tensor output{};
    if (!job.good(job.bound->variant->output(state, &output)) || !element_count(output)) continue;
    if (output_hash(output) == job.hash) continue;
    if (!job.result.repeatable() && still_right(job, state, output)) continue;
    job.doubt("the output changed while it was measured");
    job.result.set_repeatable(false);
    return;
  }
}

// A job without a result must have no samples.
void JobRunner::fail_measured(Attempt& job, const std::string& reason) {
  job.result.clear_samples_s();
  job.fail(Outcome::failed_run, reason);
}

// Stores the sample with which outputs of other settings can be compared, without a reference. A pack that
// shows no element has no output; a program or a function without output may have left out the work.
void JobRunner::sample_unverified(Attempt& job, const ks_tensor& output) try {
  if (*element_count(output) == 0 && !family_.any_params) return;
  OutputSample now =
      sample_of(output, prints_text(), 1, pack_.parts_of(*job.bound->variant, job.state, output));
  if (now.type == "none") now.runs = 2;  // nothing can differ between runs
  if (!job.sample)
    job.sample = std::move(now);
  else if (agree(*job.sample, now))
    ++job.sample->runs;
  else
    job.sample = OutputSample{};
} catch (const std::bad_alloc&) {
  job.sample.reset();
}

// Without a reference nothing can be verified, but the outputs of several runs are compared with each
// other. This is done after the measurement: the first output shows whether the family has any. If
// verification is switched off, only an output of zeros is checked; an output that cannot be read is then
// not an error.
void JobRunner::hash_unverified(Attempt& job) {
  const VerifyRules& rules = job.rules.measure.verify;
  const ks_variant& variant = *job.bound->variant;
  if (!rules.enabled) {
    ks_tensor output{};
    const bool shown = job.good(variant.output(job.state, &output)) && element_count(output).has_value();
    if (shown)
      job.doubt_empty(empty_of(Elements(output, parts_from(pack_.parts_of(variant, job.state, output)))),
                      prints_text());
    return;
  }
  ks_tensor output{};
  for (std::uint32_t round = 0; round < std::max(1U, rules.repeat); ++round) {
    const bool poisoned = round > 0 && overwrite(job, output);
    if (round > 0 && !job.good(call(job, job.state))) {
      return fail_measured(job, job.explained("the variant failed when it was run again"));
    }
    if (!job.good(variant.output(job.state, &output))) {
      return fail_measured(job, job.explained("the variant could not show its output"));
    }
    const auto count = element_count(output);
    if (!count) return fail_measured(job, count.error().message);
    if (*count == 0) return sample_unverified(job, output);
    const Digest hash = output_hash(output);
    if (!job.hashed || hash != job.hash)
      sample_unverified(job, output);
    else if (job.sample && job.sample->runs > 0)
      ++job.sample->runs;
    if (round == 0) {
      job.result.set_repeatable(true);
      job.doubt_empty(empty_of(Elements(output, parts_from(pack_.parts_of(variant, job.state, output)))),
                      prints_text());
    }
    if (job.hashed && hash != job.hash && poisoned && was_left(output)) {
      fail_uncomputed(job, output);
      return;
    }
    if (job.hashed && hash != job.hash && job.result.repeatable()) {
      job.result.set_repeatable(false);
      job.result.add_grades("repeated runs gave different bits");
    }
    job.hash = hash;
    job.hashed = true;
  }
}

}  // namespace kernsweep
