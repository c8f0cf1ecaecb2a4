// The first call of a job, compared with its later ones. A call that compiles, loads, or computes what
// later calls only return takes far longer than those.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/instant.hpp"

namespace kernsweep {

struct FirstCall {
  double seconds = 0;  // by the clock of the samples; 0: not known
  // The part in which the process worked, without waiting for cores that others had. Equal to `seconds` if
  // the variant has a clock of its own.
  double worked_s = 0;
  std::uint64_t switches = 0;  // how often the system took a core from one of its threads meanwhile
  double others_s = 0;         // part of worked_s: by other threads than the calling one
  // The most that loading may have taken of it: shared objects, modules and regular expressions of Python,
  // pages touched first.
  double loading_s = 0;
  bool is_known = false;  // all of these were read
};

double thread_time();  // processor time of the calling thread, seconds

class FirstCallClock {
 public:
  FirstCallClock();  // the call starts
  // Must be called when the call has ended.
  FirstCall read(const ks_variant& variant, void* state) const;

 private:
  std::uint64_t objects_;
  std::size_t modules_, patterns_;
  rusage used_;
  double thread_;
  Instant begun_;
};

// The call is reported if its time exceeds the median by this factor and by this difference. A first call
// also meets cold caches, pages that were never touched and threads that have to start: a few milliseconds.
constexpr double kSlowFirstFactor = 50;
constexpr double kSlowFirstLeast = 10e-3;  // seconds

// Work that a switch may have caused.
constexpr double kLostBySwitch = 25e-3;  // seconds

// Whether the first call of a state took so much longer than the median that later calls may not do its
// work: four times as long, and 100 us longer, because cold code and a small table cost that, too.
bool may_use_up(double first_s, double median_s);
// Whether the first call of a new state was slow again: not if it took about 100 us and less than a
// hundredth of the job's own first call, which was warm-up.
bool is_used_up(double first_s, double again_s, double median_s);
// The loaded compilers that work in the first call of each new state. `models`: libraries that set up each
// new model, as PyTorch and ONNX Runtime do, or code that was generated in this process. `functions`: JAX
// or LLVM, which compile each new function.
enum class Compilers : std::uint8_t { none, models, functions };
Compilers compilers_of_process();
// Whether they may be why such a call was slow. A call of these libraries takes 1 us at least.
bool may_be_set_up(Compilers compilers, double again_s, double median_s);
// Whether to prepare the kernel again for a trial of its first call, which takes `trial_s`. `slow`:
// about_first_call() has a sentence.
bool worth_a_trial(double trial_s, bool slow);
// Whether warm-up and loading cannot explain the time of the call: 50 times the median and 10 ms, or 1000
// times a median of at most 5 us.
bool is_beyond_warm_up(const FirstCall& first, double median_s);
std::string about_beyond_warm_up(const FirstCall& first, double median_s);
std::string about_untried(const FirstCall& first, double median_s, double trial_s);
// The sentence for a first call that is slow in each new state. `compilers`: none: only about used-up data.
std::string about_used_up(double first_s, double again_s, double median_s,
                          Compilers compilers = Compilers::none);

// Work that a first call may do outside of its own: it compiles, starts threads or processes or is the
// first to use them, and touches memory first.
class Preparations {
 public:
  // The call starts. `looks`: also inspects code, threads, and processes below this one. That takes a
  // millisecond and leaves the caches of the processor with its own data, so the call takes about 100 us
  // longer.
  static Preparations now(bool looks);
  // The part of `seconds`, the time of the call, without the cost of pages touched first, and of waiting
  // for a core if several threads work. 0 if there is more code, or a new thread or process.
  double without_them(double seconds) const;
  // Whether there is a new thread or process.
  bool has_started_since(const Preparations& before) const;

 private:
  bool looks_ = false;
  std::uint64_t code_ = 0, resident_ = 0;  // bytes
  std::uint64_t faults_ = 0;
  rusage used_{};
  double thread_s_ = 0;
  std::vector<int> helpers_;  // threads of this process, processes below it; sorted
};

// A sentence for a first call that is slow compared with the median of the samples; nothing for all others.
std::optional<std::string> about_first_call(const FirstCall& first, double median_s);

}  // namespace kernsweep
