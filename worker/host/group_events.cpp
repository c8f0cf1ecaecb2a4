#include "worker/host/group_events.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "worker/host/doctor/conditions.hpp"

namespace kernsweep {
namespace {

// The number after `key` and a blank, in a line of its own.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; (at = text.find(key, at)) != std::string_view::npos; at += key.size()) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::string_view rest = text.substr(at + key.size());
    std::uint64_t number = 0;
    if (rest.starts_with(' ') &&
        std::from_chars(rest.data() + 1, rest.data() + rest.size(), number).ec == std::errc())
      return number;
  }
  return std::nullopt;
}

// The kernel returns as many lines as fit into its page, so less than half a page is the whole text.
std::string whole_of(int file) {
  constexpr ssize_t kHalfPage = 2048;
  std::string text;
  std::array<char, 16384> part{};
  for (ssize_t got; (got = pread(file, part.data(), part.size(), static_cast<off_t>(text.size()))) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
    if (got < kHalfPage) break;
  }
  return text;
}

}  // namespace

void add_throttling(std::string_view cpu_stat, Throttling& to) {
  to.periods += number_behind(cpu_stat, "nr_throttled").value_or(0);
  to.stopped_s += static_cast<double>(number_behind(cpu_stat, "throttled_usec").value_or(0)) * 1e-6 +
                  static_cast<double>(number_behind(cpu_stat, "throttled_time").value_or(0)) * 1e-9;
}

GroupEvents::GroupEvents(std::string root) : root_(std::move(root)) {
  const GroupLimits limits = group_limits_under(root_);
  quota_ = limits.cpus.value_or(0);
  for (const std::string& file : limits.cpu_files)
    if (const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC); opened >= 0) stats_.push_back(opened);
  const std::string kills = limits.kill_file.empty() ? root_ + "proc/vmstat" : limits.kill_file;
  kills_ = open(kills.c_str(), O_RDONLY | O_CLOEXEC);
}

GroupEvents::~GroupEvents() {
  for (const int file : stats_) close(file);
  if (kills_ >= 0) close(kills_);
}

Throttling GroupEvents::throttling() {
  Throttling out;
  for (const int file : stats_) add_throttling(whole_of(file), out);
  // A quota may have been set or changed since these files were opened.
  if (periods_ && *periods_ != out.periods) quota_ = group_limits_under(root_).cpus.value_or(quota_);
  periods_ = out.periods;
  out.quota = quota_;
  return out;
}

std::optional<std::uint64_t> GroupEvents::killed() {
  return kills_ < 0 ? std::nullopt : number_behind(whole_of(kills_), "oom_kill");
}

std::size_t cores_within(double quota, std::size_t cores) {
  if (quota >= static_cast<double>(cores)) return cores;
  return std::max<std::size_t>(1, static_cast<std::size_t>(quota));
}

}  // namespace kernsweep
