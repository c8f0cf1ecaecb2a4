#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <type_traits>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "worker/host/topology.hpp"
#include "worker/slot/watch/process_state.hpp"

namespace kernsweep {
namespace {

// Rounding, precision and the treatment of subnormal numbers, without the status flags. On x86 both units:
// SSE in the lower half, x87 (long double) in the upper one.
unsigned float_control() {
#if defined(__SSE__)
  constexpr unsigned kFlags = 0x3F;
  std::uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  return (_mm_getcsr() & 0xFFFFU & ~kFlags) | unsigned{x87} << 16U;
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<unsigned>(control);
#else
  return static_cast<unsigned>(fegetround());
#endif
}

void set_float_control([[maybe_unused]] unsigned control) {
#if defined(__SSE__)
  const auto x87 = static_cast<std::uint16_t>(control >> 16U);
  asm volatile("fldcw %0" : : "m"(x87));
  _mm_setcsr(control & 0xFFFFU);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(static_cast<std::uint64_t>(control)));
#else
  fesetround(static_cast<int>(control));
#endif
}

// Functions of the loaded OpenMP library; all null: there is none.
struct OpenMp {
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  int (*dynamic)() = nullptr;
  void (*set_dynamic)(int) = nullptr;
  int (*levels)() = nullptr;
  void (*set_levels)(int) = nullptr;
  void (*schedule)(int*, int*) = nullptr;
  void (*set_schedule)(int, int) = nullptr;

  std::array<int, 5> settings() const {
    std::array<int, 5> out{threads(), dynamic(), levels(), 0, 0};
    schedule(&out[3], &out[4]);
    return out;
  }
  void set(const std::array<int, 5>& to) const {
    set_threads(to[0]);
    set_dynamic(to[1]);
    set_levels(to[2]);
    set_schedule(to[3], to[4]);
  }
};

OpenMp open_mp() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        const std::string_view name = object->dlpi_name ? object->dlpi_name : "";
        for (const std::string_view library : {"libgomp", "libomp.", "libomp5", "libiomp5"}) {
          if (name.find(library) == std::string_view::npos) continue;
          *static_cast<std::string*>(out) = name;
          return 1;
        }
        return 0;
      },
      &path);
  void* const library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return {};
  const auto load = [&](const char* name, auto& to) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, name));
  };
  OpenMp out;
  load("omp_get_max_threads", out.threads);
  load("omp_set_num_threads", out.set_threads);
  load("omp_get_dynamic", out.dynamic);
  load("omp_set_dynamic", out.set_dynamic);
  load("omp_get_max_active_levels", out.levels);
  load("omp_set_max_active_levels", out.set_levels);
  load("omp_get_schedule", out.schedule);
  load("omp_set_schedule", out.set_schedule);
  dlclose(library);
  const bool is_whole = out.threads && out.set_threads && out.dynamic && out.set_dynamic && out.levels &&
                        out.set_levels && out.schedule && out.set_schedule;
  return is_whole ? out : OpenMp();
}

bool same_action(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags;
}

bool same_limit(const rlimit& a, const rlimit& b) {
  return a.rlim_cur == b.rlim_cur && a.rlim_max == b.rlim_max;
}

bool is_on(const itimerval& timer) {
  return timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
}

std::string text_of(const cpu_set_t& set) {
  std::vector<std::uint32_t> cpus;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpu_list_text(cpus);
}

bool is_part(const cpu_set_t& part, const cpu_set_t& whole) {
  cpu_set_t both;
  CPU_AND(&both, &part, &whole);
  return CPU_EQUAL(&both, &part) != 0;
}

// Whether an OpenMP library was requested to bind the threads of a team, including the calling one.
bool binding_is_asked_for() {
  for (const char* const name : {"OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES"}) {
    const char* const value = std::getenv(name);
    if (!value) continue;
    const std::string_view text = value;
    const bool is_off = text == "false" || text == "FALSE" || text == "none" || text == "disabled";
    if (!is_off) return true;
  }
  return false;
}

std::string_view name_in(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

ProcessState ProcessState::now() {
  ProcessState out;
  sched_getaffinity(0, sizeof out.cores_, &out.cores_);
  std::array<char, PATH_MAX> folder{};
  if (getcwd(folder.data(), folder.size())) out.folder_ = folder.data();
  const char* const locale = std::setlocale(LC_ALL, nullptr);
  out.locale_ = locale ? locale : "";
  out.umask_ = umask(0);
  umask(out.umask_);
  for (int each = 0; each < RLIM_NLIMITS; ++each)
    getrlimit(static_cast<decltype(RLIMIT_CORE)>(each), &out.limits_[static_cast<std::size_t>(each)]);
  for (int each = 1; each < NSIG; ++each)
    sigaction(each, nullptr, &out.actions_[static_cast<std::size_t>(each)]);
  pthread_sigmask(SIG_BLOCK, nullptr, &out.blocked_);
  for (int each = 0; each < kTimers; ++each)
    getitimer(static_cast<decltype(ITIMER_REAL)>(each), &out.timers_[static_cast<std::size_t>(each)]);
  out.nice_ = getpriority(PRIO_PROCESS, 0);
  out.policy_ = sched_getscheduler(0);
  sched_getparam(0, &out.schedule_);
  out.rounding_ = float_control();
  if (const OpenMp openmp = open_mp(); openmp.threads) out.team_ = openmp.settings();
  out.settings_ = ProcessSettings::now();
  getresuid(&out.users_[0], &out.users_[1], &out.users_[2]);
  for (char* const* at = environ; at && *at; ++at) out.environment_.emplace_back(*at);
  std::sort(out.environment_.begin(), out.environment_.end());
  return out;
}

std::vector<std::string> ProcessState::give_back() const {
  const ProcessState changed = now();
  std::vector<std::string> left;
  give_back_environment(changed);  // first, because it decides which libraries may bind this thread
  give_back_cores(changed, left);
  if (changed.folder_ != folder_ && chdir(folder_.c_str()) != 0)
    left.push_back("the folder is " + changed.folder_ + ", it was " + folder_);
  if (changed.umask_ != umask_) umask(umask_);
  if (changed.locale_ != locale_) std::setlocale(LC_ALL, locale_.c_str());
  if (changed.rounding_ != rounding_) set_float_control(rounding_);
  if (team_ && changed.team_ && *changed.team_ != *team_) open_mp().set(*team_);
  settings_.give_back(left);
  give_back_limits(changed, left);
  give_back_signals(changed);
  give_back_schedule(changed, left);
  if (changed.users_ != users_)
    left.push_back("the user is " + std::to_string(changed.users_[1]) + ", it was " +
                   std::to_string(users_[1]));
  return left;
}

void ProcessState::give_back_cores(const ProcessState& changed, std::vector<std::string>& left) const {
  if (CPU_EQUAL(&changed.cores_, &cores_)) return;
  if (binding_is_asked_for() && is_part(changed.cores_, cores_)) return;
  cpu_set_t reached;
  CPU_ZERO(&reached);
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    const int thread = std::atoi(at->path().filename().c_str());
    cpu_set_t own;
    CPU_ZERO(&own);
    // A thread that was started with the changed cores.
    if (sched_getaffinity(thread, sizeof own, &own) == 0 && CPU_EQUAL(&own, &changed.cores_))
      sched_setaffinity(thread, sizeof cores_, &cores_);
  }
  if (sched_setaffinity(0, sizeof cores_, &cores_) != 0 ||
      sched_getaffinity(0, sizeof reached, &reached) != 0 || !CPU_EQUAL(&reached, &cores_))
    left.push_back("the cores are " + text_of(changed.cores_) + ", they were " + text_of(cores_));
}

void ProcessState::give_back_limits(const ProcessState& changed, std::vector<std::string>& left) const {
  for (int each = 0; each < RLIM_NLIMITS; ++each) {
    const rlimit& before = limits_[static_cast<std::size_t>(each)];
    if (same_limit(changed.limits_[static_cast<std::size_t>(each)], before)) continue;
    if (setrlimit(static_cast<decltype(RLIMIT_CORE)>(each), &before) != 0)
      left.push_back("a limit of the system (setrlimit " + std::to_string(each) + ") was changed");
  }
}

void ProcessState::give_back_signals(const ProcessState& changed) const {
  for (int each = 0; each < kTimers; ++each) {
    const auto at = static_cast<std::size_t>(each);
    if (is_on(changed.timers_[at]) && !is_on(timers_[at]))
      setitimer(static_cast<decltype(ITIMER_REAL)>(each), &timers_[at], nullptr);
  }
  for (int each = 1; each < NSIG; ++each) {
    const auto at = static_cast<std::size_t>(each);
    if (!same_action(changed.actions_[at], actions_[at])) sigaction(each, &actions_[at], nullptr);
  }
  if (std::memcmp(&changed.blocked_, &blocked_, NSIG / CHAR_BIT) != 0)
    pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
}

void ProcessState::give_back_schedule(const ProcessState& changed, std::vector<std::string>& left) const {
  if ((changed.policy_ != policy_ || changed.schedule_.sched_priority != schedule_.sched_priority) &&
      sched_setscheduler(0, policy_, &schedule_) != 0)
    left.emplace_back("the scheduling policy was changed");
  if (getpriority(PRIO_PROCESS, 0) != nice_ && setpriority(PRIO_PROCESS, 0, nice_) != 0)
    left.push_back("the priority is " + std::to_string(changed.nice_) + ", it was " +
                   std::to_string(nice_));
}

void ProcessState::give_back_environment(const ProcessState& changed) const {
  if (changed.environment_ == environment_) return;
  std::vector<std::string> added;
  std::set_difference(changed.environment_.begin(), changed.environment_.end(), environment_.begin(),
                      environment_.end(), std::back_inserter(added));
  for (const std::string& variable : added) unsetenv(std::string(name_in(variable)).c_str());
  std::vector<std::string> missing;
  std::set_difference(environment_.begin(), environment_.end(), changed.environment_.begin(),
                      changed.environment_.end(), std::back_inserter(missing));
  for (const std::string& variable : missing) {
    const std::string name(name_in(variable));
    if (name.size() < variable.size()) setenv(name.c_str(), variable.c_str() + name.size() + 1, 1);
  }
}

}  // namespace kernsweep
