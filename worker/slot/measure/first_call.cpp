#include "worker/slot/measure/first_call.hpp"

#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>

#include "worker/host/children.hpp"
#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {
namespace {

// First calls that are not longer are not checked.
constexpr double kUsedUpLeast_s = 100e-6;
// The longest time of the first touch of a page.
constexpr double kPageS = 2e-6;

rusage use_of_process() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used;
}

// The number of shared objects that were loaded so far.
std::uint64_t loaded_objects() {
  std::uint64_t loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t size, void* out) {
        if (size >= offsetof(dl_phdr_info, dlpi_subs))
          *static_cast<std::uint64_t*>(out) = static_cast<std::uint64_t>(object->dlpi_adds);
        return 1;
      },
      &loaded);
  return loaded;
}

std::size_t increase(std::uint64_t from, std::uint64_t to) {
  return to > from ? static_cast<std::size_t>(to - from) : 0;
}

// The other threads of a call spin until the one without a core continues; a single thread only works.
double lost_by_switches(double worked_s, double others_s, std::uint64_t switches) {
  constexpr double kAlone = 0.3;  // the checks of the threads' cores also take a part
  return others_s <= kAlone * worked_s ? 0 : kLostBySwitch * static_cast<double>(switches);
}

// The time in which the process computed.
double certain_s(const FirstCall& first) {
  return std::min(first.seconds, first.worked_s) -
         lost_by_switches(first.worked_s, first.others_s, first.switches);
}

// The size of all code that is mapped into this process: libraries, and the output of compilers.
std::uint64_t code_bytes() {
  std::ifstream maps("/proc/self/maps");
  std::uint64_t sum = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    std::array<char, 8> may{};
    if (std::sscanf(line.c_str(), "%llx-%llx %7s", &begin, &end, may.data()) == 3 && may[2] == 'x')
      sum += end - begin;
  }
  return sum;
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

double thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

FirstCallClock::FirstCallClock()
    : objects_(loaded_objects()),
      modules_(imported_modules()),
      patterns_(compiled_patterns()),
      used_(use_of_process()),
      thread_(thread_time()),
      begun_(monotonic_now()) {}

FirstCall FirstCallClock::read(const ks_variant& variant, void* state) const {
  constexpr double kModuleS = 10e-3, kPatternS = 0.1, kObjectS = 1;
  if (!variant.elapsed) {
    FirstCall out{seconds(monotonic_now() - begun_)};
    if (out.seconds < kUsedUpLeast_s) {  // so short a call is not checked
      out.worked_s = out.seconds;
      return out;
    }
    const double own_s = thread_time() - thread_;
    const rusage used = use_of_process();
    const auto count = [](long from, long to) {
      return static_cast<std::uint64_t>(std::max(0L, to - from));
    };
    out.worked_s = cpu_seconds(used) - cpu_seconds(used_);
    out.switches = count(used_.ru_nivcsw, used.ru_nivcsw);
    out.others_s = std::max(0.0, out.worked_s - own_s);
    out.loading_s = kPageS * static_cast<double>(count(used_.ru_minflt, used.ru_minflt)) +
                    kModuleS * static_cast<double>(increase(modules_, imported_modules())) +
                    kPatternS * static_cast<double>(increase(patterns_, compiled_patterns())) +
                    kObjectS * static_cast<double>(increase(objects_, loaded_objects()));
    out.is_known = true;
    return out;
  }
  const double said = variant.elapsed(state);
  return std::isfinite(said) && said > 0 ? FirstCall{said, said, 0} : FirstCall{};
}

std::optional<std::string> about_first_call(const FirstCall& first, double median_s) {
  const double certain = certain_s(first);
  if (certain <= kSlowFirstLeast || certain <= kSlowFirstFactor * median_s || !(median_s > 0))
    return std::nullopt;
  char text[160];
  std::snprintf(text, sizeof text,
                "the first call took %.3g s, %.3g times the median: it compiled or loaded something, or "
                "later calls return what it has stored",
                first.seconds, first.seconds / median_s);
  return text;
}

bool may_use_up(double first_s, double median_s) {
  constexpr double kFactor = 4;
  return median_s > 0 && first_s > kFactor * median_s && first_s > median_s + kUsedUpLeast_s;
}

bool is_used_up(double first_s, double again_s, double median_s) {
  constexpr double kShare = 0.01, kLong_s = 1e-3;
  return may_use_up(again_s, median_s) && (again_s >= kShare * first_s || again_s >= kLong_s);
}

bool may_be_set_up(Compilers compilers, double again_s, double median_s) {
  constexpr double kOfModel_s = 1.4e-3, kOfStoredAnswer_s = 1e-6;
  return compilers != Compilers::none && median_s > kOfStoredAnswer_s &&
         (compilers == Compilers::functions || again_s < kOfModel_s);
}

bool worth_a_trial(double trial_s, bool slow) {
  constexpr double kLong_s = 10, kLongest_s = 30;
  return trial_s <= (slow ? kLongest_s : kLong_s);
}

Compilers compilers_of_process() {
  constexpr std::array<std::string_view, 5> kOfModels = {"libtorch", "onnxruntime", "tensorflow",
                                                         "openvino", "libdnnl"};
  constexpr std::array<std::string_view, 3> kOfFunctions = {"jaxlib", "libLLVM", "llvmlite"};
  Compilers found = Compilers::none;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long inode = 0;
    std::array<char, 8> may{};
    int name = 0;
    if (std::sscanf(line.c_str(), "%*x-%*x %7s %*x %*s %llu %n", may.data(), &inode, &name) < 2) continue;
    const std::string_view of = std::string_view(line).substr(static_cast<std::size_t>(name));
    const bool is_made = inode == 0 ? !of.starts_with("[v") : of.starts_with("/memfd:");
    if (may[2] != 'x') continue;
    const auto is_of = [&](std::string_view library) { return of.find(library) != std::string_view::npos; };
    if (std::ranges::any_of(kOfFunctions, is_of)) return Compilers::functions;
    if (is_made || std::ranges::any_of(kOfModels, is_of)) found = Compilers::models;
  }
  return found;
}

bool is_beyond_warm_up(const FirstCall& first, double median_s) {
  constexpr double kTinyMedian_s = 5e-6, kTinyFactor = 1000, kTinyLeast_s = 0.3e-3;
  const double left_s = certain_s(first) - first.loading_s;
  if (!first.is_known || !(median_s > 0)) return false;
  return (left_s > kSlowFirstLeast && left_s > kSlowFirstFactor * median_s) ||
         (median_s <= kTinyMedian_s && left_s > kTinyLeast_s && left_s > kTinyFactor * median_s);
}

std::string about_beyond_warm_up(const FirstCall& first, double median_s) {
  char text[256];
  std::snprintf(
      text, sizeof text,
      "the first call took %.3g s, %.3g times the median, and loaded or compiled nothing that explains "
      "it: later calls return what it has stored, or find their data used up; each call must do the "
      "whole work",
      first.seconds, first.seconds / median_s);
  return text;
}

std::string about_untried(const FirstCall& first, double median_s, double trial_s) {
  char text[256];
  std::snprintf(
      text, sizeof text,
      "the first call took %.3g s, %.3g times the median; whether later calls do the whole work was "
      "not tried, because another setup takes %.3g s",
      first.seconds, first.seconds / median_s, trial_s);
  return text;
}

std::string about_used_up(double first_s, double again_s, double median_s, Compilers compilers) {
  char text[320];
  std::snprintf(
      text, sizeof text,
      "the first call took %.3g s, %.3g times the median, and %.3g s again after a new setup: %slater "
      "calls reuse a stored result, or their data are used up (a list sorted in place)%s",
      first_s, first_s / median_s, again_s,
      compilers == Compilers::none ? "" : "it compiles or sets something up each time, or ",
      compilers == Compilers::none ? ". Each call must do the whole work" : "");
  return text;
}

Preparations Preparations::now(bool looks) {
  Preparations out;
  out.looks_ = looks;
  if (looks) {
    out.code_ = code_bytes();
    out.resident_ = resident_bytes();
    out.helpers_ = threads_of(getpid());
    for (const ProcessBelow& each : tree_time().processes) {
      out.helpers_.push_back(each.process);
      out.faults_ += each.faults;
    }
    std::ranges::sort(out.helpers_);
  }
  out.used_ = use_of_process();
  out.faults_ += static_cast<std::uint64_t>(out.used_.ru_minflt);
  out.thread_s_ = thread_time();
  return out;
}

bool Preparations::has_started_since(const Preparations& before) const {
  return !std::ranges::includes(before.helpers_, helpers_);
}

double Preparations::without_them(double seconds) const {
  constexpr double kTouchedPerS = 2e9;  // bytes: larger pages need fewer faults
  const Preparations after = now(looks_);
  if (after.code_ > code_ || after.has_started_since(*this)) return 0;
  const double touched_s = static_cast<double>(increase(resident_, after.resident_)) / kTouchedPerS;
  const double faults_s = kPageS * static_cast<double>(increase(faults_, after.faults_));
  const double worked_s = cpu_seconds(after.used_) - cpu_seconds(used_);
  const double others_s = worked_s - (after.thread_s_ - thread_s_);
  const long switches = std::max(0L, after.used_.ru_nivcsw - used_.ru_nivcsw);
  const double lost_s = lost_by_switches(worked_s, others_s, static_cast<std::uint64_t>(switches));
  return std::max(0.0, seconds - std::max(touched_s, faults_s) - lost_s);
}

}  // namespace kernsweep
