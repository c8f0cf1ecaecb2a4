// What the host's processors did, from the text of /proc/stat. Pure: text and numbers in, numbers out.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kernsweep {

// Seconds since the host started; the system counts them in ticks, mostly of 10 ms.
struct HostTimes {
  double busy_s = 0;             // of all processors: user, nice, system, interrupts
  double own_steal_s = 0;        // what a hypervisor took from the processors asked for
  std::uint32_t processors = 0;  // that `busy_s` is of
};

// `own`: the system's numbers of the processors whose steal counts. Nothing: the text is not what we know.
std::optional<HostTimes> host_times_of(std::string_view proc_stat, const std::vector<std::uint32_t>& own,
                                       double ticks_per_s);

// How many cores others kept busy on average over `wall_s`: busy time less `own_cpu_s` of this process.
// Nothing when the time is too short for ticks to tell (below kLoadWall), or when a clock went backwards.
constexpr double kLoadWall = 0.05;
std::optional<double> foreign_cores(const HostTimes& before, const HostTimes& after, double own_cpu_s,
                                    double wall_s);

// Whether that is worth telling: at least kForeignNoticed cores, and at least kForeignTicksS of busy
// time, so that the rounding to ticks of a short section is never taken for a neighbour.
constexpr double kForeignNoticed = 0.2;
constexpr double kForeignTicksS = 0.05;
bool neighbour_noticed(double foreign_cores, double wall_s);

// Whether a job's threads and others together wanted more cores than the host has, by more than a tenth of
// one: then some of the job's threads waited for a core, and the others for them, however long that was.
// Threads beyond the processors are the job's own wish. Below kForeignTicksS of busy time nothing is said,
// nor where the processors are not known (0).
bool crowded(std::uint32_t threads, double foreign_cores, double wall_s, std::uint32_t processors);

}  // namespace kernsweep
