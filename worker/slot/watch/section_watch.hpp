// Watches one timed section: decides when the clock is stable, judges the windows of samples, and sums up
// what the surroundings were like. Reads gauges only; the samples' times it never sees.
//
// The clock that windows are held against is the job's own: the highest of the probes at the end of its
// warm-up and since. Not the highest of the process's life, because a processor with turbo clocks lower
// when more cores work or wide vectors are used, and a lower clock that holds is no disturbance. Such a
// clock is told apart, by `clock_of_best`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/rules.hpp"
#include "worker/slot/measure/sample_ledger.hpp"
#include "worker/slot/watch/effective_clock.hpp"
#include "worker/slot/watch/gauges.hpp"
#include "worker/slot/watch/gpu_watch.hpp"

namespace kernsweep {

// What a section's surroundings were like.
struct SectionConditions {
  double clock_ghz = 0;      // median of the probes while sampling; 0: not known
  double clock_low = 0;      // the lowest window's clock, as a share of the job's reference
  double clock_of_best = 0;  // `clock_ghz` as a share of the best that this process has seen
  bool clock_known = false;
  bool clock_stable = true;  // when the warm-up ended; true where the clock is not known
  std::uint64_t samples_taken = 0;
  std::uint64_t samples_disturbed = 0;
  bool kept_disturbed = false;  // too many were disturbed: all are kept
  double share_then = 0;        // of the samples were disturbed when that was found; 0: not known
  CauseCounts causes{};         // samples, by cause
  std::optional<double> foreign_cores;
  std::optional<double> steal_s;
  std::optional<double> energy_j;
  std::uint64_t minor_faults = 0;  // while sampling
  std::uint64_t involuntary_switches = 0;
  double cpu_s = 0;  // of the process, warm-up included
  double wall_s = 0;
  double sampled_s = 0;
  std::uint32_t threads = 1;                    // that the job asked for
  std::uint32_t processors = 0;                 // of the host; 0: not known
  std::optional<WorkedThreads> threads_worked;  // while sampling; nothing: nothing can be told
  std::optional<GpuConditions> gpu;             // of the job's GPUs, where there are some
};

class SectionWatch {
 public:
  // Between looks at /proc/stat, unless those take long: then fifty times as long as the last one.
  static constexpr Duration kHostEvery = std::chrono::milliseconds(20);

  // `gauges` must outlive the watch. `threads`: of the job. `best_ghz`: the best clock that the process has
  // seen; is raised.
  SectionWatch(Gauges& gauges, const MeasureRules& rules, std::uint32_t threads, double& best_ghz);

  void begin();
  // After a call of the warm-up: probes the clock when a probe is due. Whether it is stable now.
  bool clock_settled();
  // Again where sampling starts over, with a ledger that is empty.
  void begin_sampling();
  // The next window begins here and not where the last one ended; what was between them is looked over.
  void open_window();
  // Judges the ledger's open window, which is full, and closes it.
  void close_window(SampleLedger& ledger);
  // Before sampling ends: what was stolen since the last look.
  void last_look(SampleLedger& ledger) { look_at_host(ledger); }
  SectionConditions end(const SampleLedger& ledger);

 private:
  double probe();
  void look_at_host(SampleLedger& ledger);

  Gauges& gauges_;
  DisturbanceRule rule_;
  std::uint32_t threads_;
  double& best_ghz_;
  ClockStability stability_;
  std::optional<Instant> probed_;
  double reference_ghz_ = 0;
  std::vector<double> probes_;  // while sampling
  bool stable_ = true;
  EdgeReading edge_, edge_first_;
  ProcessUse use_begun_, use_sampling_;
  std::optional<ThreadTimes> threads_sampling_;
  std::optional<HostTimes> host_begun_, host_last_;
  std::optional<double> energy_begun_;
  std::optional<GpuWatch> gpu_;
  std::size_t windows_looked_ = 0;  // windows whose steal is known
  bool apart_ = false;              // windows that do not touch: each is looked at by itself
  Instant begun_, looked_, sampling_;
  Duration look_every_ = kHostEvery;
  double lowest_ghz_ = 0;
};

// What makes a section doubtful (grade C), in words for people; nothing: nothing does.
std::optional<std::string> doubt(const SectionConditions& conditions);
// So does this: the job's threads had to share their cores with others.
std::optional<std::string> crowding(const SectionConditions& conditions);
// What the first of these two is about: of disturbed samples what disturbed most of them.
DoubtCause doubt_cause(const SectionConditions& conditions);
// Whether it is doubtful because of what may have passed by the next try: more samples than may be left out
// were disturbed by something else than page faults.
bool another_try_may_help(const SectionConditions& conditions, const MeasureRules& rules);
// What else lowers its grade (to B): a reason for each thing that was wrong with it.
std::vector<std::string> complaints(const SectionConditions& conditions, const MeasureRules& rules);

}  // namespace kernsweep
