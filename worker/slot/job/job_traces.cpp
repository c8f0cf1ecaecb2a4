// Traces of the calls of a job: work that continues, a changed process, used-up data.
#include <algorithm>
#include <cstdlib>

#include "shared/stats/statistics.hpp"
#include "shared/text/counted.hpp"
#include "worker/host/children.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/measure/sampler.hpp"
#include "worker/slot/python/interpreter.hpp"

namespace kernsweep {
namespace {

// The tail after a single call is measured again if it seems to be shorter, because the machine may have
// been busy.
constexpr int kSingleCalls = 3;
// Number of calls in a row that count as many.
constexpr std::uint64_t kManyCalls = 4;
// Trials of a slow first call; the fastest counts. The later ones also check its other effects.
constexpr int kQuickTrials = 3, kTrials = 6;
constexpr double kLongTrials_s = 1;  // together: one more follows, with checks
// Processor time of the calling thread: if a pool has started processes, it copies pages.
constexpr double kPool_s = 2e-3;

constexpr const char* kReplaced =
    "threads and processes that still run are killed: the slot's process is replaced";

std::string variable_that_spins() {
  return asked_to_spin([](const char* name) { return std::getenv(name); });
}

}  // namespace

LateTail JobRunner::tail_after(Attempt& job, std::uint64_t calls) {
  for (; calls > 0 && job.good(call(job, job.state)); --calls) {
  }
  return late_work_->after_calls().value_or(LateTail());
}

// False: the threads spin no longer than after a single call of an earlier job.
bool JobRunner::ask_single_calls(Attempt& job, LateWork& found) {
  const LateTail& tail = found.after_many;
  const bool may_spin = found.has_spinning_library && !tail.is_of_processes();
  if (may_spin && tail.lasted_s() <= late_work_->spins_s()) return false;
  if (found.calls < kManyCalls) {
    found.after_many = tail_after(job, kManyCalls);
    found.calls = kManyCalls;
  }
  for (int asked = 0; asked < kSingleCalls && (asked == 0 || !judge(found).doubt.empty()); ++asked) {
    const LateTail one = tail_after(job, 1);
    found.one_lasted_s = std::max(found.one_lasted_s, one.lasted_s());
    if (!found.after_one || one.worked_s() > found.after_one->worked_s()) found.after_one = one;
  }
  if (may_spin) late_work_->learn_spin(found.one_lasted_s);
  // Threads of a pool may work a little after any call, and spin after an import: this repeats after each
  // call. New threads that sleep will work later.
  if (!judge(found).doubt.empty())
    if (const LateTail again = tail_after(job, kManyCalls);
        again.worked_s() < found.after_many.worked_s() &&
        late_work_->new_threads() < LateWork::kMoreCalls) {
      found.after_many = again;
      found.calls = kManyCalls;
    }
  return true;
}

// Directly after the samples, under their lease.
void JobRunner::check_late_work(Attempt& job, const Samples& samples) {
  LateWork found;
  job.looked_for_late_work = true;
  const auto tail = late_work_->after_calls();
  if (!tail) return;
  const auto taken = samples.conditions ? samples.conditions->samples_taken : samples.seconds.size();
  found.calls = taken * samples.calls + samples.warmup_runs;
  found.left = late_work_->left();
  found.unawaited = late_work_->unawaited();
  found.left_threads = late_work_->left_threads();
  found.after_many = *tail;
  found.call_s = summarise(samples.seconds).median;
  found.has_spinning_library = has_spinning_library();
  found.was_switched = samples.conditions && doubt(*samples.conditions) &&
                       doubt_cause(*samples.conditions) == DoubtCause::switched;
  if (may_leave_threads(found)) {
    tail_after(job, LateWork::kMoreCalls);
    found.more_threads = late_work_->new_threads();
  }
  if (!depends_on_one_call(found))
    found.asked_to_spin = variable_that_spins();
  else if (!ask_single_calls(job, found))
    return;
  const LateJudgement judged = judge(found);
  if (!judged.doubt.empty()) job.doubt(judged.doubt);
  if (!judged.note.empty()) job.result.add_notes(judged.note);
  if (judged.still_works) job.result.add_notes(kReplaced);
  is_done_ = is_done_ || judged.still_works;
}

// Must be called after the job's state was released: the next job must find the process as this one did.
void JobRunner::end_traces(Attempt& job) {
  const bool is_measured = !job.broken && job.result.samples_s_size() > 0;
  if (is_measured && !job.host.imported.empty()) job.result.add_notes(as_utf8(job.host.imported));
  if (is_measured) try_first_call(job);
  if (late_work_ && !job.looked_for_late_work) {
    LateWork found;
    if (const auto tail = late_work_->after_calls(); tail && tail->outlasted()) {
      found.after_many = *tail;
      found.has_spinning_library = has_spinning_library();
      found.asked_to_spin = variable_that_spins();
      is_done_ = is_done_ || judge(found).still_works;
    }
  }
  // A server that a program left would answer the programs of the next job.
  if (family_.name == std::string_view("command") && late_work_ &&
      children_of_first_thread() != children_) {
    if (const std::size_t ended = end_children(Children::other_programs); ended > 0)
      job.result.add_notes("it left " + counted(ended, "process", "processes") +
                           " running, which ended with the job");
    children_ = children_of_first_thread();
  }
  if (!state_) return;
  for (const std::string& left : state_->give_back()) {
    job.result.add_notes(as_utf8("it has changed its process, which is replaced: " + left));
    is_done_ = true;
  }
}

// The time of the first call of a state that is prepared again in this process. Nothing: it cannot be.
// `looks`: excludes effects outside of its own work. Processes and threads that its setup has started are
// awaited before. A pool of the setup does more than the call's work when it is used first, so only the
// computation of the calling thread counts then.
std::optional<double> JobRunner::first_call_of_new_state(Attempt& job, bool looks) {
  void* state = nullptr;
  std::optional<double> took;
  job.is_trial = true;
  forget_cached_calls(false);
  const Preparations unprepared = Preparations::now(looks);
  if (prepare(job, operands_.tensors(), state) == KS_OK) {
    const ks_variant& variant = *job.bound->variant;
    if (looks) (void)late_work_->after_calls();
    const Preparations before = Preparations::now(looks);
    const bool has_helpers = before.has_started_since(unprepared);
    const double thread_before_s = thread_time();
    const Instant begun = monotonic_now();
    const bool called = variant.run(state) == KS_OK;
    const double taken_s = variant.elapsed ? variant.elapsed(state) : seconds(monotonic_now() - begun);
    if (called) took = before.without_them(taken_s);
    if (called && has_helpers) {
      const double thread_first_s = thread_time();
      const bool called_again = variant.run(state) == KS_OK;
      const double second_s = thread_time() - thread_first_s;
      const double first_s = before.without_them(thread_first_s - thread_before_s);
      if (called_again && (first_s < kPool_s || !may_use_up(first_s, second_s))) took = 0;
    }
    variant.release(state);
  }
  memory_.clear();
  return took;
}

// The time that empty caches add to a call of a state that was called before.
double JobRunner::cost_of_cold_caches(Attempt& job) {
  void* state = nullptr;
  double cold_s = 0;
  if (prepare(job, operands_.tensors(), state) == KS_OK) {
    const ks_variant& variant = *job.bound->variant;
    if (variant.run(state) == KS_OK && eviction_.run()) {
      const Instant begun = monotonic_now();
      const bool called = variant.run(state) == KS_OK;
      const double taken_s = variant.elapsed ? variant.elapsed(state) : seconds(monotonic_now() - begun);
      if (called) cold_s = std::max(0.0, taken_s - job.median_s);
    }
    variant.release(state);
  }
  eviction_.forget();
  memory_.clear();
  return cold_s;
}

// The fastest of several, without the cost of cold caches.
std::optional<double> JobRunner::first_call_of_new_states(Attempt& job) {
  std::optional<double> quickest;
  double all_s = 0;
  forget_cached_calls(true);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Instant begun = monotonic_now();
    const bool is_long = all_s >= kLongTrials_s;
    const auto took = first_call_of_new_state(job, trial >= kQuickTrials || is_long);
    if (!took) break;
    quickest = std::min(*took, quickest.value_or(*took));
    all_s += seconds(monotonic_now() - begun);
    if (is_long || !is_used_up(job.first.seconds, *quickest, job.median_s)) break;
  }
  if (quickest && is_used_up(job.first.seconds, *quickest, job.median_s))
    *quickest -= std::min(*quickest, cost_of_cold_caches(job));
  return quickest;
}

// A call that is slow only the first time has compiled or loaded something; or it has used up data that
// later calls should have computed, or stored what they return. Then the first call of a new state is slow,
// too, unless the module or the program keeps the data.
void JobRunner::try_first_call(Attempt& job) {
  const auto slow = about_first_call(job.first, job.median_s);
  const auto note = [&] {
    if (slow) job.result.add_notes(*slow);
  };
  const bool is_judged =
      late_work_ && place_.gpus.empty() && !prints_text() && pack_.device_of(*job.bound->variant) != "gpu";
  if (!is_judged || !may_use_up(job.first.seconds, job.median_s)) return note();
  const Compilers compilers = compilers_of_process();
  const bool is_beyond = compilers == Compilers::none && is_beyond_warm_up(job.first, job.median_s);
  const double trial_s = job.prepare_s + job.first.seconds;
  const bool can_try = !is_done_ && in_place_operands(job).empty();
  if (can_try && !worth_a_trial(trial_s, slow.has_value())) {
    const std::string text = about_untried(job.first, job.median_s, trial_s);
    if (is_beyond) job.doubt(text);
    if (!is_beyond) job.result.add_notes(text);
    return;
  }
  const auto again = can_try ? first_call_of_new_states(job) : std::nullopt;
  const bool used_up = again && is_used_up(job.first.seconds, *again, job.median_s);
  if (used_up && may_be_set_up(compilers, *again, job.median_s))
    job.result.add_notes(about_used_up(job.first.seconds, *again, job.median_s, compilers));
  else if (used_up)
    job.doubt(about_used_up(job.first.seconds, *again, job.median_s));
  else if (is_beyond)
    job.doubt(about_beyond_warm_up(job.first, job.median_s));
  else
    note();
}

}  // namespace kernsweep
