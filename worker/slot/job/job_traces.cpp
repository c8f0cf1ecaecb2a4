// What the calls of a job leave: work that continues, a changed process.
#include <algorithm>
#include <cstdlib>

#include "shared/stats/statistics.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/measure/sampler.hpp"

namespace kernsweep {
namespace {

// The tail after a single call is asked again where it seems to be shorter: the machine may have been busy.
constexpr int kSingleCalls = 3;
// So many calls in a row are many.
constexpr std::uint64_t kManyCalls = 4;

constexpr const char* kReplaced = "what still works ends with its process, which is replaced";

std::string variable_that_spins() {
  return asked_to_spin([](const char* name) { return std::getenv(name); });
}

}  // namespace

// Directly after the samples, under their lease.
void JobRunner::check_late_work(Attempt& job, const Samples& samples) {
  LateWork found;
  job.looked_for_late_work = true;
  const auto tail = late_work_->after_calls();
  if (!tail) return;
  const auto taken = samples.conditions ? samples.conditions->samples_taken : samples.seconds.size();
  found.calls = taken * samples.calls + samples.warmup_runs;
  found.left = late_work_->left();
  found.after_many = *tail;
  found.call_s = summarise(samples.seconds).median;
  if (depends_on_one_call(found)) {
    found.has_spinning_library = has_spinning_library();
    const auto tail_after = [&](std::uint64_t calls) {
      for (; calls > 0 && job.good(call(job, job.state)); --calls) {
      }
      return late_work_->after_calls();
    };
    if (found.calls < kManyCalls) {
      found.after_many = tail_after(kManyCalls).value_or(LateTail());
      found.calls = kManyCalls;
    }
    for (int asked = 0; asked < kSingleCalls && (asked == 0 || !judge(found).doubt.empty()); ++asked) {
      const LateTail one = tail_after(1).value_or(LateTail());
      if (!found.after_one || one.worked_s() > found.after_one->worked_s()) found.after_one = one;
    }
  } else {
    found.has_spinning_library = has_spinning_library();
    found.asked_to_spin = variable_that_spins();
  }
  const LateJudgement judged = judge(found);
  if (!judged.doubt.empty()) job.result.add_doubts(judged.doubt);
  if (!judged.note.empty()) job.result.add_notes(judged.note);
  if (judged.still_works) job.result.add_notes(kReplaced);
  is_done_ = is_done_ || judged.still_works;
}

// After the job's state was released: the next job must find the process as this one has.
void JobRunner::end_traces(Attempt& job) {
  if (late_work_ && !job.looked_for_late_work) {
    LateWork found;
    if (const auto tail = late_work_->after_calls(); tail && tail->outlasted()) {
      found.after_many = *tail;
      found.has_spinning_library = has_spinning_library();
      found.asked_to_spin = variable_that_spins();
      is_done_ = is_done_ || judge(found).still_works;
    }
  }
  if (!state_) return;
  for (const std::string& left : state_->give_back()) {
    job.result.add_notes(as_utf8("it has changed its process, which is replaced: " + left));
    is_done_ = true;
  }
}

}  // namespace kernsweep
