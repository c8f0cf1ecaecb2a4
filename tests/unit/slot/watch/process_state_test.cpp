#include "worker/slot/watch/process_state.hpp"

#include <dlfcn.h>
#include <fenv.h>
#include <gtest/gtest.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

namespace kernsweep {
namespace {

// Runs in a child, which may change what it wants; `seen` is asked afterwards.
bool is_given_back(const std::function<void()>& change, const std::function<std::string()>& seen) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string before = seen();
    const ProcessState state = ProcessState::now();
    change();
    const bool changed = seen() != before;
    const bool nothing_left = state.give_back().empty();
    _exit(changed && nothing_left && seen() == before ? 0 : 1);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

std::string cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return std::to_string(CPU_COUNT(&set));
}

void use_one_core() {
  cpu_set_t set, one;
  CPU_ZERO(&set);
  CPU_ZERO(&one);
  sched_getaffinity(0, sizeof set, &set);
  int first = 0;
  while (!CPU_ISSET(first, &set)) ++first;
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

std::string folder() {
  char text[4096] = "";
  return getcwd(text, sizeof text) ? text : "";
}

TEST(ProcessState, GivesBackWhatAJobHasChanged) {
  EXPECT_TRUE(is_given_back([] { EXPECT_EQ(chdir("/"), 0); }, folder));
  EXPECT_TRUE(is_given_back([] { umask(0123); },
                            [] {
                              const mode_t now = umask(0);
                              umask(now);
                              return std::to_string(now);
                            }));
  EXPECT_TRUE(is_given_back([] { setenv("KERNSWEEP_TEST_LEFT", "1", 1); },
                            [] { return std::string(std::getenv("KERNSWEEP_TEST_LEFT") ? "set" : ""); }));
  EXPECT_TRUE(is_given_back([] { unsetenv("PATH"); },
                            [] { return std::string(std::getenv("PATH") ? std::getenv("PATH") : ""); }));
  EXPECT_TRUE(is_given_back(
      [] {
        rlimit files{};
        getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = 17;
        setrlimit(RLIMIT_NOFILE, &files);
      },
      [] {
        rlimit files{};
        getrlimit(RLIMIT_NOFILE, &files);
        return std::to_string(files.rlim_cur);
      }));
}

TEST(ProcessState, GivesBackSignalsAndTimers) {
  EXPECT_TRUE(is_given_back([] { signal(SIGUSR1, SIG_IGN); },
                            [] {
                              struct sigaction now {};
                              sigaction(SIGUSR1, nullptr, &now);
                              return std::string(now.sa_handler == SIG_IGN ? "ignored" : "");
                            }));
  EXPECT_TRUE(is_given_back(
      [] {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, SIGUSR2);
        sigprocmask(SIG_BLOCK, &one, nullptr);
      },
      [] {
        sigset_t now;
        sigprocmask(SIG_BLOCK, nullptr, &now);
        return std::to_string(sigismember(&now, SIGUSR2));
      }));
  EXPECT_TRUE(is_given_back(
      [] {
        const itimerval hour{{3600, 0}, {3600, 0}};
        setitimer(ITIMER_REAL, &hour, nullptr);
      },
      [] {
        itimerval now{};
        getitimer(ITIMER_REAL, &now);
        return std::string(now.it_value.tv_sec != 0 ? "on" : "");
      }));
}

TEST(ProcessState, GivesBackCoresButThoseThatOpenMpHasTaken) {
  if (cores() == "1") GTEST_SKIP() << "one core cannot become fewer";
  EXPECT_TRUE(is_given_back(use_one_core, cores));
  const auto in_a_bound_process = [] {
    setenv("OMP_PROC_BIND", "true", 1);
    const ProcessState state = ProcessState::now();
    use_one_core();
    return state.give_back().empty() && cores() == "1";
  };
  const pid_t child = fork();
  if (child == 0) _exit(in_a_bound_process() ? 0 : 1);
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

#ifdef __SSE__
TEST(ProcessState, GivesBackWhatBecomesOfSubnormalNumbers) {
  volatile double small = 1e-300;
  EXPECT_TRUE(is_given_back([] { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); },
                            [&] { return std::string(small * 1e-10 > 0 ? "kept" : "flushed"); }));
}
#endif

#ifdef __x86_64__
// fesetround() changes both units, and _mm_setcsr() only one.
TEST(ProcessState, GivesBackTheRoundingAndThePrecisionOfLongDouble) {
  const auto control = [] {
    std::uint16_t x87 = 0;
    asm volatile("fnstcw %0" : "=m"(x87));
    return std::to_string(x87);
  };
  EXPECT_TRUE(is_given_back([] { fesetround(FE_UPWARD); }, control));
  EXPECT_TRUE(is_given_back(
      [] {
        const std::uint16_t of_double = 0x027F;  // 53 bits
        asm volatile("fldcw %0" : : "m"(of_double));
      },
      control));
}
#endif

// In a library of its own, as that of a pack.
TEST(ProcessState, GivesBackTheThreadsOfOpenMp) {
  void* const library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library) GTEST_SKIP() << "there is no libgomp";
  const auto threads = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_threads"));
  const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
  ASSERT_TRUE(threads && set_threads);
  EXPECT_TRUE(
      is_given_back([&] { set_threads(threads() + 3); }, [&] { return std::to_string(threads()); }));
  const auto levels = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_active_levels"));
  const auto set_levels = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_max_active_levels"));
  const auto schedule = reinterpret_cast<void (*)(int*, int*)>(dlsym(library, "omp_get_schedule"));
  const auto set_schedule = reinterpret_cast<void (*)(int, int)>(dlsym(library, "omp_set_schedule"));
  ASSERT_TRUE(levels && set_levels && schedule && set_schedule);
  EXPECT_TRUE(is_given_back([&] { set_levels(0); }, [&] { return std::to_string(levels()); }));
  EXPECT_TRUE(is_given_back([&] { set_schedule(1, 7); },
                            [&] {
                              int kind = 0, chunk = 0;
                              schedule(&kind, &chunk);
                              return std::to_string(kind) + "," + std::to_string(chunk);
                            }));
}

TEST(ProcessState, GivesBackSettingsOfTheProcess) {
  const auto said = [](int get) { return [get] { return std::to_string(prctl(get, 0, 0, 0, 0)); }; };
  EXPECT_TRUE(is_given_back([] { prctl(PR_SET_THP_DISABLE, 1L, 0L, 0L, 0L); }, said(PR_GET_THP_DISABLE)));
  EXPECT_TRUE(is_given_back([] { prctl(PR_SET_TIMERSLACK, 5'000'000L); }, said(PR_GET_TIMERSLACK)));
  EXPECT_TRUE(is_given_back([] { prctl(PR_SET_DUMPABLE, 0L); }, said(PR_GET_DUMPABLE)));
  const auto subreaper = [] {
    int now = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &now);
    return std::to_string(now);
  };
  EXPECT_TRUE(is_given_back([] { prctl(PR_SET_CHILD_SUBREAPER, 1L); }, subreaper));
  constexpr long kIdle = 3L << 13;  // the class of ioprio_set(2)
  EXPECT_TRUE(is_given_back([] { syscall(SYS_ioprio_set, 1, 0, kIdle); },
                            [] { return std::to_string(syscall(SYS_ioprio_get, 1, 0)); }));
  EXPECT_TRUE(is_given_back([] { personality(ADDR_NO_RANDOMIZE | 0x0400000); },
                            [] { return std::to_string(personality(0xffffffff)); }));
}

// Without the right to do so, a priority that was lowered stays low.
TEST(ProcessState, SaysWhatCannotBeGivenBack) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (getuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) _exit(2);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NICE, &none);
    const ProcessState state = ProcessState::now();
    if (setpriority(PRIO_PROCESS, 0, 19) != 0) _exit(2);
    _exit(state.give_back().size() == 1 ? 0 : 1);
  }
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "this system does not let a process become weaker";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace kernsweep
