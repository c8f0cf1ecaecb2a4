#include "worker/slot/watch/late_work.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

constexpr double kWorkingShare = 0.1;  // of a core
constexpr Duration kQuiet = 3 * LateTail::kStep;
// Least processor time that counts. Threads that spin may use the larger one; others are compared with the
// call.
constexpr double kCheap_s = 0.1;  // a call that may be repeated to measure what a few calls leave
constexpr double kNoticed_s = 1e-3, kNoticedLeast_s = 50e-6;
// Ratio of the tails after many calls and after one. Threads may spin for times that differ from call to
// call.
constexpr double kGrowthOfThreads = 2, kGrowthOfProcesses = 1.5;
// How many times the call a call that waits for the previous one can leave.
constexpr double kMostOfCall = 2;

// Each second counts once, whichever process has waited for another meanwhile: the time of a process that
// has ended is in its parent's, and there in ticks, so that a sum over all processes may seem to decrease.
double grown_s(const TreeTime& before, const TreeTime& after) {
  const auto in = [](const TreeTime& tree, int process) {
    return std::find_if(tree.processes.begin(), tree.processes.end(),
                        [&](const ProcessBelow& each) { return each.process == process; });
  };
  double grown = 0, gone = 0;
  for (const ProcessBelow& each : after.processes) {
    const auto then = in(before, each.process);
    grown += std::max(0.0, each.cpu_s - (then == before.processes.end() ? 0 : then->cpu_s));
  }
  for (const ProcessBelow& each : before.processes)
    if (in(after, each.process) == after.processes.end()) gone += each.cpu_s;
  return grown + std::max(0.0, after.waited_for_s - before.waited_for_s - gone);
}

std::string as_ms(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g ms", seconds * 1e3);
  return text.data();
}

const char* where(const LateTail& tail) {
  return tail.is_of_processes() ? "processes that the calls started" : "other threads of the process";
}

// A single one may be a server that the first call has started.
bool leaves_processes(const LateWork& found) {
  return found.left >= 2 && 2 * found.left >= found.calls;
}

double noticed_s(const LateWork& found) {
  return found.has_spinning_library ? kNoticed_s : std::clamp(found.call_s, kNoticedLeast_s, kNoticed_s);
}

bool spins_as_asked(const LateWork& found) {
  return !found.after_many.is_of_processes() && found.has_spinning_library && !found.asked_to_spin.empty();
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

}  // namespace

bool LateTail::add(Instant now, TreeTime tree, bool threads_wait) {
  const double threads_s = std::max(0.0, tree.other_threads_s - last_.other_threads_s);
  const double processes_s = grown_s(last_, tree);
  const double enough_s = kWorkingShare * seconds(now - last_at_);
  const bool processes_wait = std::any_of(tree.processes.begin(), tree.processes.end(),
                                          [](const ProcessBelow& each) { return each.is_ready; });
  threads_s_ += threads_s;
  processes_s_ += processes_s;
  busy_processes_ = processes_s > enough_s || processes_wait;
  if (busy_processes_ || threads_wait || threads_s > enough_s) busy_at_ = now;
  last_at_ = now;
  last_ = std::move(tree);
  outlasted_ = busy_at_ - begun_ >= kLongest;
  return !outlasted_ && now - busy_at_ < kQuiet;
}

bool may_leave_threads(const LateWork& found) {
  return found.left_threads >= 2 &&
         (2 * found.left_threads >= found.calls ||
          (found.left_threads >= LateWork::kManyThreads && found.call_s < kCheap_s));
}

bool leaves_threads(const LateWork& found) {
  return may_leave_threads(found) && found.more_threads >= LateWork::kMoreCalls;
}

bool depends_on_one_call(const LateWork& found) {
  // On one core, a process that was started may have worked before the next call began.
  return (found.after_many.worked_s() >= noticed_s(found) || found.unawaited > 0) &&
         !found.after_many.outlasted() && !leaves_processes(found) && !leaves_threads(found);
}

LateJudgement judge(const LateWork& found) {
  const LateTail& many = found.after_many;
  const std::string must = "; a call must return when its work is done";
  if (leaves_processes(found))
    return {std::to_string(found.left) + " processes that the calls started still ran after the last of " +
                std::to_string(found.calls) + " calls" + must,
            "", true};
  if (leaves_threads(found))
    return {std::to_string(found.left_threads) +
                " threads that the calls started were still there after the last of " +
                std::to_string(found.calls) + " calls" + must,
            "", true};
  if (many.outlasted() && spins_as_asked(found))
    return {"", "threads spin after the calls (" + found.asked_to_spin +
                    "), so whether they still worked for these is not known"};
  if (many.outlasted())
    return {std::string(where(many)) + " still worked " + as_ms(seconds(LateTail::kLongest)) +
                " after the last call" + must,
            "", true};
  const std::string used = std::string(where(many)) + " used " + as_ms(many.worked_s()) +
                           " of processor time after the last call";
  const bool may_spin = found.has_spinning_library && !many.is_of_processes();
  if (found.after_one) {
    const double one_s = found.after_one->worked_s();
    // Threads spin for a fixed time or a fixed processor time: neither is longer after more calls.
    const bool lasted_longer =
        !may_spin || many.lasted_s() > kGrowthOfThreads * found.one_lasted_s + kNoticed_s;
    const double growth = many.is_of_processes() ? kGrowthOfProcesses : kGrowthOfThreads;
    if (many.worked_s() > growth * one_s + noticed_s(found) && lasted_longer)
      return {used + ", " + as_ms(one_s) + " after a single one" + must, ""};
    if (one_s > kMostOfCall * found.call_s + noticed_s(found) && !may_spin)
      return {where(*found.after_one) + (" used " + as_ms(one_s)) +
                  " of processor time after a single call of " + as_ms(found.call_s) + must,
              ""};
  }
  if (may_spin || many.worked_s() < kNoticed_s) return {};
  // On the core of the job it makes the calls longer, so it is less than one of them.
  if (found.was_switched && found.unawaited > 0 && many.is_of_processes())
    return {used + ", and took the core from later calls" + must, ""};
  return {"", used + ", which is not part of its time"};
}

std::string asked_to_spin(const std::function<const char*(const char*)>& variable) {
  constexpr double kLong_ms = 200, kManySpins = 1e8, kCycles = 29;  // 2^29 cycles: 180 ms at 3 GHz
  constexpr std::array<std::pair<const char*, double>, 3> kAmounts = {
      {{"KMP_BLOCKTIME", kLong_ms}, {"GOMP_SPINCOUNT", kManySpins}, {"OPENBLAS_THREAD_TIMEOUT", kCycles}}};
  constexpr std::array<std::pair<const char*, const char*>, 4> kWords = {{{"OMP_WAIT_POLICY", "active"},
                                                                          {"KMP_LIBRARY", "turnaround"},
                                                                          {"KMP_BLOCKTIME", "infinite"},
                                                                          {"GOMP_SPINCOUNT", "infinite"}}};
  for (const auto& [name, word] : kWords) {
    const char* const value = variable(name);
    if (value && equals_ignoring_case(value, word)) return std::string(name) + "=" + value;
  }
  for (const auto& [name, least] : kAmounts) {
    const char* const value = variable(name);
    if (value && number_of<double>(value).value_or(0) >= least) return std::string(name) + "=" + value;
  }
  return "";
}

}  // namespace kernsweep
