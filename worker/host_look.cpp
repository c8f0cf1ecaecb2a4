#include "worker/host_look.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "shared/text/utf8.hpp"

namespace kernsweep::worker {
namespace {

constexpr std::size_t kNameBytesMax = 32;
constexpr double kCoresTold = 0.05;  // less is 0.0 in the text, and not a reason to wait

// "clang uses 1.9 cores, cc1 0.3".
std::string who_of(const Disturbance& seen) {
  std::vector<std::pair<std::string, double>> names;
  for (const BusyProcess& process : seen.busiest) {
    const std::string name = one_line(process.name, kNameBytesMax);
    const auto known = std::ranges::find(names, name, &std::pair<std::string, double>::first);
    if (known == names.end()) {
      names.emplace_back(name, process.cpus);
    } else {
      known->second += process.cpus;
    }
  }
  std::ranges::stable_sort(names, std::greater<>(), &std::pair<std::string, double>::second);
  std::string text;
  for (const auto& [name, cores] : names) {
    if (cores < kCoresTold) break;
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), text.empty() ? " uses %.1f cores" : " %.1f", cores);
    text += (text.empty() ? "" : ", ") + name + number.data();
  }
  return text;
}

}  // namespace

HostSeen seen_between(const kernsweep::Activity& before, const kernsweep::Activity& after,
                      const OurProcesses& ours) {
  const Disturbance seen = disturbance_between(before, after, {}, 0, ours);
  HostSeen out;
  // The load of processors is counted by ticks, that of processes exactly. Load without a process may be
  // the difference, from our own processes.
  out.busy_cores = seen.seen_cpus < kCoresTold ? std::min(seen.busy_cpus, seen.seen_cpus) : seen.busy_cpus;
  out.steal_share = seen.steal_share;
  out.processors = static_cast<std::uint32_t>(after.cpus.size());
  out.who = who_of(seen);
  return out;
}

HostSeen HostLook::look(const OurProcesses& ours) {
  const Instant start = monotonic_now();
  kernsweep::Activity now = activity_under("/");
  HostSeen seen = seen_between(before_, now, ours);
  before_ = std::move(now);
  seen.took = monotonic_now() - start;
  return seen;
}

}  // namespace kernsweep::worker
