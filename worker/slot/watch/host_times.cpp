#include "worker/slot/watch/host_times.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace kernsweep {
namespace {

// user nice system idle iowait irq softirq steal; guest times are within user and nice.
constexpr std::size_t kUser = 0, kNice = 1, kSystem = 2, kIrq = 5, kSoftirq = 6, kSteal = 7, kFields = 8;
using Fields = std::array<std::uint64_t, kFields>;
constexpr double kTickS = 0.01;

double busy_ticks(const Fields& f) {
  return static_cast<double>(f[kUser] + f[kNice] + f[kSystem] + f[kIrq] + f[kSoftirq]);
}

std::optional<Fields> fields_of(std::string_view text) {
  Fields out{};
  for (std::uint64_t& field : out) {
    const std::size_t digit = text.find_first_not_of(' ');
    if (digit == std::string_view::npos) return std::nullopt;
    text.remove_prefix(digit);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), field);
    if (read.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  }
  return out;
}

}  // namespace

std::optional<HostTimes> host_times_of(std::string_view proc_stat, const std::vector<std::uint32_t>& own,
                                       double ticks_per_s) {
  if (!(ticks_per_s > 0)) return std::nullopt;
  HostTimes out;
  bool all_seen = false;
  while (proc_stat.starts_with("cpu")) {
    const std::size_t end = std::min(proc_stat.find('\n'), proc_stat.size());
    std::string_view line = proc_stat.substr(3, end - 3);
    proc_stat.remove_prefix(std::min(end + 1, proc_stat.size()));
    if (line.starts_with(' ')) {
      const auto all = fields_of(line);
      if (!all) return std::nullopt;
      out.busy_s = busy_ticks(*all) / ticks_per_s;
      all_seen = true;
      continue;
    }
    std::uint32_t cpu = 0;
    const auto number = std::from_chars(line.data(), line.data() + line.size(), cpu);
    if (number.ec == std::errc()) ++out.processors;
    if (number.ec != std::errc() || std::find(own.begin(), own.end(), cpu) == own.end()) continue;
    line.remove_prefix(static_cast<std::size_t>(number.ptr - line.data()));
    const auto one = fields_of(line);
    if (!one) return std::nullopt;
    out.own_steal_s += static_cast<double>((*one)[kSteal]) / ticks_per_s;
    out.own_busy_s += busy_ticks(*one) / ticks_per_s;
    ++out.own;
  }
  if (!all_seen) return std::nullopt;
  return out;
}

std::optional<double> foreign_cores(const HostTimes& before, const HostTimes& after, double own_cpu_s,
                                    double wall_s) {
  const double busy_s = after.busy_s - before.busy_s;
  if (!(wall_s >= kLoadWall) || busy_s < 0 || own_cpu_s < 0) return std::nullopt;
  return std::max(0.0, busy_s - own_cpu_s) / wall_s;
}

std::optional<double> foreign_on_own(const HostTimes& before, const HostTimes& after, double own_cpu_s,
                                     double wall_s) {
  const double busy_s = after.own_busy_s - before.own_busy_s;
  if (!(wall_s >= kLoadWall) || busy_s < 0 || own_cpu_s < 0 || after.own != before.own) return std::nullopt;
  const double foreign_s = busy_s - own_cpu_s;
  return foreign_s > kTickS * after.own ? foreign_s / wall_s : 0;
}

bool neighbour_noticed(double foreign_cores, double wall_s) {
  return foreign_cores >= kForeignNoticed && foreign_cores * wall_s >= kForeignTicksS;
}

bool had_a_share(double foreign_on_own, double wall_s) {
  constexpr double kShare = 0.1;
  return foreign_on_own >= kShare && foreign_on_own * wall_s >= 3 * kTickS;
}

bool crowded(std::uint32_t threads, double foreign_cores, double wall_s, std::uint32_t processors) {
  constexpr double kMargin = 0.1;
  return processors > 0 && foreign_cores * wall_s >= kForeignTicksS &&
         std::min(threads, processors) + foreign_cores > processors + kMargin;
}

}  // namespace kernsweep
