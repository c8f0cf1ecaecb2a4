// Whether calls compute an output in memory that the job does not own, such as the array that a Python
// function returned. The variant overwrites it and writes it back (ks_variant::overwrite).
#include <algorithm>

#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/verify/output.hpp"

namespace kernsweep {
namespace {

// Two calls in a row, after all earlier outputs were overwritten: if two stored results are returned in
// turn, one of them has been overwritten by then.
constexpr int kKeptCalls = 2;

std::string share_of(const ks_left& left) {
  return std::to_string(left.left) + " of " + std::to_string(left.elements) + " elements";
}

// Each text once, because both calls usually leave the same one.
template <class Texts>
void add_once(Texts* texts, const std::string& text) {
  if (std::find(texts->begin(), texts->end(), text) == texts->end()) *texts->Add() = text;
}

}  // namespace

// Returns false if the job failed. Afterwards the output of the last call is not valid.
bool JobRunner::check_kept_output(Attempt& job) {
  const ks_variant& variant = *job.bound->variant;
  if (!job.hashed || !job.rules.measure.verify.enabled || !pack_.overwrites(variant)) return true;
  for (int call = 0; call < kKeptCalls && check_kept_call(job); ++call) {
  }
  variant.restore(job.state);
  return !job.broken;
}

// Returns whether another call must be checked.
bool JobRunner::check_kept_call(Attempt& job) {
  const ks_variant& variant = *job.bound->variant;
  if (!job.good(variant.overwrite(job.state))) {
    add_once(job.result.mutable_notes(),
             "whether each call computes its output was not checked: there is no memory to save it");
    return false;
  }
  if (!job.good(call(job, job.state))) {
    add_once(job.result.mutable_notes(),
             "a call failed after its output had been overwritten (" + job.explained("without a reason") +
                 "), so it was not checked whether each call computes its output");
    return false;
  }
  ks_left left{};
  if (!job.good(variant.left(job.state, &left))) return false;
  if (!judge_left(job, left) || left.kind == KS_LEFT_IN_PLACE) return false;
  ks_tensor output{};
  const bool computed = left.kind == KS_LEFT_NOTHING;
  if (!computed || !job.good(variant.output(job.state, &output)) || !element_count(output)) return true;
  return output_hash(output) == job.hash || judge_other_bits(job, output, left);
}

bool JobRunner::judge_left(Attempt& job, const ks_left& left) {
  switch (left.kind) {
    case KS_LEFT_NOTHING:
      return true;
    case KS_LEFT_ALL:
      break;
    case KS_LEFT_VIEW:
      add_once(job.result.mutable_grades(),
               "no call writes the memory of its output: it is a view of an input, or a result that was "
               "stored");
      return true;
    case KS_LEFT_PART:
      if (left.left > left.elements / 2) break;
      add_once(job.result.mutable_grades(), "a call did not write " + share_of(left) +
                                                " of its output; they are constants, or were stored");
      return true;
    case KS_LEFT_IN_PLACE:
      if (left.left > left.elements / 2) {
        add_once(job.result.mutable_grades(), "a call did not write " + share_of(left) + " of its output");
        return true;
      }
      add_once(job.result.mutable_notes(),
               "it computes in place: whether each call does the whole work could not be checked");
      return true;
    case KS_LEFT_UNKNOWN:
      add_once(job.result.mutable_notes(),
               "each call returned the same object, which cannot be overwritten: whether it computes it "
               "could not be checked");
      return true;
  }
  job.result.clear_samples_s();
  job.result.set_verified(false);
  return job.fail(Outcome::wrong_result, "a call did not write " + share_of(left) +
                                             " of its output; each call must compute the whole output");
}

// The call has written all of its output, with other bits than before. In the overwritten memory they may
// come from content that the call found there.
bool JobRunner::judge_other_bits(Attempt& job, const ks_tensor& output, const ks_left& left) {
  if (left.elements > 0) {
    if (!job.result.repeatable()) return true;
    return judge_left(job, {KS_LEFT_IN_PLACE, left.elements, left.left});
  }
  if (job.is_compared() && !still_right(job, job.state, output)) {
    job.result.clear_samples_s();
    job.result.set_verified(false);
    return job.fail(Outcome::wrong_result,
                    "a call after the measurement computed another output, which is wrong");
  }
  if (job.rules.measure.verify.repeat > 1 && job.result.repeatable()) {
    job.result.set_repeatable(false);
    job.result.add_grades("repeated runs gave different bits");
  }
  return true;
}

}  // namespace kernsweep
