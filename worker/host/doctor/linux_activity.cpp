#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "worker/host/doctor/activity.hpp"
#include "worker/host/doctor/linux_files.hpp"

namespace kernsweep {
namespace {

constexpr double kWorthNaming = 0.02;  // share of a processor
constexpr std::size_t kNamedMax = 3;

std::uint64_t tick_at(const std::vector<std::string>& words, std::size_t at) {
  const auto number = at < words.size() ? number_of(words[at]) : std::nullopt;
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

// "cpu0 user nice system idle iowait irq softirq steal guest guest_nice": guests are counted in user and
// nice.
Activity::Ticks ticks_of(const std::vector<std::string>& words) {
  Activity::Ticks ticks;
  for (const std::size_t at : {1U, 2U, 3U, 6U, 7U}) ticks.busy += tick_at(words, at);
  ticks.idle = tick_at(words, 4) + tick_at(words, 5);
  ticks.steal = tick_at(words, 8);
  return ticks;
}

// "17 (name with ) in it) S ppid ...": the parent is field 4, the group is field 5, utime and stime are
// fields 14 and 15, those of children 16 and 17, the start is field 22.
bool read_process(const std::string& path, Activity::Process& out) {
  const auto line = line_in(path);
  const auto open = line ? line->find('(') : std::string::npos;
  const auto close = line ? line->rfind(')') : std::string::npos;
  if (open == std::string::npos || close == std::string::npos || close < open) return false;
  out.name = line->substr(open + 1, close - open - 1);
  const auto words = words_of(std::string_view(*line).substr(close + 1));  // begins with field 3
  out.parent = static_cast<std::int64_t>(tick_at(words, 1));
  out.group = static_cast<std::int64_t>(tick_at(words, 2));
  out.ticks = tick_at(words, 11) + tick_at(words, 12);
  out.of_children = tick_at(words, 13) + tick_at(words, 14);
  out.started = tick_at(words, 19);
  return true;
}

std::uint64_t grown(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;
}

void add(const Activity::Ticks& before, const Activity::Ticks& after, Activity::Ticks& sum) {
  sum.busy += grown(before.busy, after.busy);
  sum.idle += grown(before.idle, after.idle);
  sum.steal += grown(before.steal, after.steal);
}

// Includes all processes that they have started. A number may be below that of its parent, because numbers
// are reused.
std::set<std::int64_t> ours_in(const Activity& activity, const OurProcesses& ours) {
  std::set<std::int64_t> found = ours.processes;
  for (std::size_t before = 0, now = 1; before != now; now = found.size()) {
    before = found.size();
    for (const auto& [pid, process] : activity.processes)
      if (ours.groups.contains(process.group) || found.contains(process.parent)) found.insert(pid);
  }
  return found;
}

// The ticks of an ended child are then in its parent's `of_children`, so the sum never decreases.
std::uint64_t ticks_of(const Activity& activity, const std::set<std::int64_t>& ours) {
  std::uint64_t sum = 0;
  for (const auto& [pid, process] : activity.processes)
    if (ours.contains(pid)) sum += process.ticks + process.of_children;
  return sum;
}

}  // namespace

Activity processors_under(const std::string& root) {
  Activity out;
  for (const std::string& line : lines_in(root + "proc/stat")) {
    if (!line.starts_with("cpu")) break;
    const auto words = words_of(line);
    const auto cpu = number_of(std::string_view(words[0]).substr(3));
    if (words[0] == "cpu") out.all = ticks_of(words);
    if (cpu && *cpu >= 0) out.cpus[static_cast<std::uint32_t>(*cpu)] = ticks_of(words);
  }
  return out;
}

Activity activity_under(const std::string& root) {
  Activity out = processors_under(root);
  for (const std::string& name : names_in(root + "proc")) {
    const auto pid = number_of(name);
    Activity::Process process;
    if (pid && read_process(root + "proc/" + name + "/stat", process)) out.processes[*pid] = process;
  }
  const auto counters = lines_in(root + "proc/vmstat");
  for (const char* key : {"pswpin", "pswpout"})
    out.swapped_pages += tick_at({field_in(counters, key).value_or("0")}, 0);
  return out;
}

Disturbance disturbance_between(const Activity& before, const Activity& after,
                                const std::vector<std::uint32_t>& cpus, double window_s,
                                const OurProcesses& ours) {
  Activity::Ticks sum;
  std::size_t counted = 0;
  for (const auto& [cpu, ticks] : after.cpus) {
    const bool wanted = cpus.empty() || std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
    const auto earlier = before.cpus.find(cpu);
    if (!wanted || earlier == before.cpus.end()) continue;
    add(earlier->second, ticks, sum);
    ++counted;
  }
  Disturbance out;
  out.window_s = window_s;
  out.swapped_pages = grown(before.swapped_pages, after.swapped_pages);
  const auto passed = static_cast<double>(sum.busy + sum.idle + sum.steal);
  if (passed <= 0) return out;
  out.steal_share = static_cast<double>(sum.steal) / passed;
  const double ticks_per_cpu = passed / static_cast<double>(counted);
  const std::set<std::int64_t> own_after = ours_in(after, ours);
  const std::uint64_t own =
      cpus.empty() ? grown(ticks_of(before, ours_in(before, ours)), ticks_of(after, own_after)) : 0;
  out.busy_cpus = static_cast<double>(grown(own, sum.busy)) / ticks_per_cpu;
  std::uint64_t seen = 0;
  for (const auto& [pid, process] : after.processes) {
    const auto earlier = before.processes.find(pid);
    const bool same = earlier != before.processes.end() && earlier->second.started == process.started;
    const std::uint64_t used = grown(same ? earlier->second.ticks : 0, process.ticks);
    const double share = static_cast<double>(used) / ticks_per_cpu;
    if (own_after.contains(pid)) continue;
    if (share >= kWorthNaming) out.busiest.push_back({pid, process.name, share});
    seen += used + grown(same ? earlier->second.of_children : process.of_children, process.of_children);
  }
  out.seen_cpus = static_cast<double>(seen) / ticks_per_cpu;
  std::stable_sort(out.busiest.begin(), out.busiest.end(),
                   [](const BusyProcess& a, const BusyProcess& b) { return a.cpus > b.cpus; });
  if (out.busiest.size() > kNamedMax) out.busiest.resize(kNamedMax);
  return out;
}

Disturbance watch_disturbance(const std::vector<std::uint32_t>& cpus, double window_s) {
  const Activity before = activity_under("/");
  std::this_thread::sleep_for(std::chrono::duration<double>(window_s));
  return disturbance_between(before, activity_under("/"), cpus, window_s, {{getpid()}});
}

}  // namespace kernsweep
