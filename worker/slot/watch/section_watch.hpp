// Watches one timed section: decides when the clock is stable, judges the windows of samples, and
// summarises the conditions. Reads gauges only, never the times of samples.
//
// Windows are compared with a clock of the job: the median of the last probes of the warm-up, or a later
// probe if that is higher. Not with the highest clock of the process, because the turbo clock decreases
// when more cores work or wide vectors are used, and a lower but constant clock is not a disturbance. Such
// a clock is reported by `clock_of_best`.
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

// The clock that measures the samples. Disturbances of the host do not change the times of a device: no
// sample is disturbed then, and only the state of the GPUs is checked.
enum class TimedBy : std::uint8_t { host, device };

// The conditions of a section.
struct SectionConditions {
  TimedBy timed_by = TimedBy::host;
  double clock_ghz = 0;      // median of the probes while sampling; 0: not known
  double clock_low = 0;      // the lowest clock of a window, as a share of the job's reference
  double clock_of_best = 0;  // `clock_ghz` as a share of the best that this process has seen
  bool clock_known = false;
  bool clock_stable = true;  // at the end of the warm-up; true if the clock is not known
  std::uint64_t samples_taken = 0;
  std::uint64_t samples_disturbed = 0;
  bool kept_disturbed = false;  // too many samples were disturbed, so all are kept
  double least_median = 0;      // SampleLedger::least_median
  CauseCounts causes{};         // number of samples for each cause
  std::optional<double> foreign_cores;
  std::optional<double> foreign_on_own;  // of the processors that the job is bound to
  std::uint32_t own_processors = 0;      // how many these are; 0: not known
  std::optional<double> steal_s;
  std::optional<double> energy_j;
  std::uint64_t minor_faults = 0;  // while sampling
  std::uint64_t involuntary_switches = 0;
  double cpu_s = 0;  // of the process, warm-up included
  double wall_s = 0;
  double sampled_s = 0;
  std::uint32_t threads = 1;                    // requested by the job, of all its copies
  std::uint32_t processors = 0;                 // of the host; 0: not known
  std::optional<WorkedThreads> threads_worked;  // while sampling; nothing: not known
  std::optional<Throttling> throttled;          // while sampling, by a quota; nothing: hardly
  std::vector<CoreLook> core_looks;             // in the warm-up, of several threads and of programs
  std::optional<GpuSection> gpu;                // nothing: the job has no GPUs
};

class SectionWatch {
 public:
  // Time between readings of /proc/stat. If a reading takes long, fifty times as long as the last one.
  static constexpr Duration kHostEvery = std::chrono::milliseconds(20);

  // `gauges` must outlive the watch. `threads`: of the job. `best_ghz`: the highest clock of the process so
  // far; it is updated. `copies`: number of copies, each with `threads`.
  SectionWatch(Gauges& gauges, const MeasureRules& rules, std::uint32_t threads, double& best_ghz,
               std::uint32_t copies = 1, TimedBy timed_by = TimedBy::host);
  ~SectionWatch() { gauges_.end_looks(); }
  SectionWatch(const SectionWatch&) = delete;
  SectionWatch& operator=(const SectionWatch&) = delete;

  // `runs_programs`: the calls start programs; the watch finds out whether these need more cores.
  void begin(bool runs_programs = false);
  // Must be called after each call of the warm-up: probes the clock when a probe is due. True: it is
  // stable, or a device measures the time.
  bool clock_settled();
  // Must be called before the first sample, and again when sampling starts over with an empty ledger.
  void begin_sampling();
  // Begins the next window here; disturbances since the end of the last one do not count.
  void open_window();
  // A program of a call has waited this long for a core; below 0: not known.
  void note_program(double waited_s);
  // Checks the ledger's open window, which is full, and closes it.
  void close_window(SampleLedger& ledger);
  // Must be called before sampling ends: marks windows that were stolen since the last reading, and
  // suspected ones if others computed on the job's cores.
  void last_look(SampleLedger& ledger);
  SectionConditions end(const SampleLedger& ledger);
  CounterSystem* counters() { return gauges_.counters(); }

 private:
  double probe();
  void look_at_host(SampleLedger& ledger);
  void look_at_threads(SampleLedger& ledger, const std::optional<HostTimes>& host);

  Gauges& gauges_;
  DisturbanceRule rule_;
  const TimedBy timed_by_;
  std::uint32_t threads_;
  double& best_ghz_;
  ClockStability stability_;
  std::optional<Instant> probed_;
  double reference_ghz_ = 0;
  std::vector<double> probes_;  // while sampling
  bool stable_ = true;
  EdgeReading edge_, edge_first_;
  std::optional<ProgramWait> programs_;  // since the open window began; nothing: no program has run
  ProcessUse use_begun_, use_sampling_;
  std::optional<ThreadTimes> threads_sampling_;
  std::optional<HostTimes> host_begun_, host_last_;
  std::vector<ThreadWait> waits_;  // at the last look, of a job with several threads
  std::optional<double> energy_begun_;
  std::vector<CoreLook> core_looks_;
  Throttling throttled_sampling_;
  std::optional<GpuWatch> gpu_;
  std::size_t windows_looked_ = 0;  // windows whose stolen time was read
  double sampled_looked_ = 0;       // what their samples took, in seconds
  bool apart_ = false;  // windows do not follow each other directly, so each has its own readings
  Instant begun_, looked_, sampling_, waits_at_;
  Duration look_every_ = kHostEvery;
  double lowest_ghz_ = 0;
};

// Text for the user about a doubt about a section (grade C); nothing if there is none.
std::optional<std::string> doubt(const SectionConditions& conditions);
// The same for another reason: the job's threads had to share their cores with other processes.
std::optional<std::string> crowding(const SectionConditions& conditions);
// The throttling by a CPU quota between two readings, if it is more than kDisturbingShare of the time, and
// its text.
std::optional<Throttling> throttled_between(const Throttling& before, Throttling after, double wall_s);
std::string about_throttling(const Throttling& throttled);
// `quota` if one has stopped it; else the most frequent cause of disturbed samples if doubt() has one;
// `others` if only crowding() has one.
DoubtCause doubt_cause(const SectionConditions& conditions);
// True if a repetition may give a better result: crowding() has a text, or doubt() has one and more samples
// than may be discarded were disturbed by causes other than page faults. False if a quota stopped it,
// because a quota is permanent.
bool another_try_may_help(const SectionConditions& conditions, const MeasureRules& rules);
// Texts about all other conditions that lower the grade to B.
std::vector<std::string> complaints(const SectionConditions& conditions, const MeasureRules& rules);

}  // namespace kernsweep
