// The use of the host's processors, from the text of /proc/stat. Pure: text and numbers in, numbers out.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kernsweep {

// Seconds since the host started; the system counts them in ticks, mostly of 10 ms.
struct HostTimes {
  double busy_s = 0;             // sum over all processors: user, nice, system, interrupts
  double own_steal_s = 0;        // stolen by a hypervisor from the processors in `own`
  std::uint32_t processors = 0;  // number of processors in `busy_s`
  double own_busy_s = 0;         // as `busy_s`, of the processors in `own`
  std::uint32_t own = 0;         // how many of these there are
};

// `own`: the system's numbers of the processors whose steal counts. Nothing: the text has an unknown form.
std::optional<HostTimes> host_times_of(std::string_view proc_stat, const std::vector<std::uint32_t>& own,
                                       double ticks_per_s);

// How many cores other processes used on average over `wall_s`: busy time minus `own_cpu_s` of this
// process. Nothing if the time is too short for ticks (below kLoadWall), or a clock went backwards.
constexpr double kLoadWall = 0.05;
std::optional<double> foreign_cores(const HostTimes& before, const HostTimes& after, double own_cpu_s,
                                    double wall_s);
// The same for the processors in `own`, if all time of this process was spent there. Less than a tick for
// each of them, which is the error of their counts, is 0.
std::optional<double> foreign_on_own(const HostTimes& before, const HostTimes& after, double own_cpu_s,
                                     double wall_s);

// Whether that should be reported: at least kForeignNoticed cores, and at least kForeignTicksS of busy
// time, so that rounding to ticks in a short section is never reported as a neighbour.
constexpr double kForeignNoticed = 0.2;
constexpr double kForeignTicksS = 0.05;
bool neighbour_noticed(double foreign_cores, double wall_s);

// Whether others certainly computed on the job's processors, given the error of counts of ticks.
bool had_a_share(double foreign_on_own, double wall_s);

// Whether the job's threads and other processes together needed more cores than the host has, by more than
// a tenth of a core: then some threads of the job waited for a core, and the others for them. Threads
// beyond the number of processors do not count, because the job requested them. False below kForeignTicksS
// of busy time, and if `processors` is 0 (not known). The same applies to the processors that the job is
// bound to, which the numbers of a host with many others do not show.
bool crowded(std::uint32_t threads, double foreign_cores, double wall_s, std::uint32_t processors);

}  // namespace kernsweep
