#include <algorithm>
#include <filesystem>

#include "worker/host/doctor/conditions.hpp"
#include "worker/host/doctor/linux_files.hpp"

namespace kernsweep {
namespace {

// Version 1 writes "no limit" as the largest multiple of a page.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

void lower(std::optional<double>& to, double value) {
  to = std::min(to.value_or(value), value);
}
void lower(std::optional<std::uint64_t>& to, std::uint64_t value) {
  to = std::min(to.value_or(value), value);
}

std::uint64_t number_after(const std::string& path, std::string_view key) {
  const auto text = field_in(lines_in(path), key);
  const auto number = text ? number_of(*text) : std::nullopt;
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

// Bytes left below a limit; file cache that can be dropped counts as free.
void add_memory(const std::string& folder, const char* limit_file, const char* used_file,
                const char* cache_key, GroupLimits& out) {
  const auto limit = positive_in(folder + limit_file);
  if (!limit || *limit >= kNoLimit) return;
  lower(out.memory_bytes, *limit);
  const auto used = number_in(folder + used_file);
  if (!used) return;
  const auto held = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *used));
  const std::uint64_t cache = std::min(held, number_after(folder + "memory.stat", cache_key));
  lower(out.memory_left_bytes, *limit - std::min(*limit, held - cache));
}

void add_quota(const std::string& folder, std::optional<std::int64_t> part,
               std::optional<std::int64_t> whole, GroupLimits& out) {
  if (part && whole && *part > 0 && *whole > 0)
    lower(out.cpus, static_cast<double>(*part) / static_cast<double>(*whole));
  out.cpu_files.push_back(folder + "cpu.stat");
  out.throttled = std::max(out.throttled, number_after(folder + "cpu.stat", "nr_throttled"));
}

// A group without the memory controller has no such file; the group above it counts for it.
void add_kill_file(const std::string& file, GroupLimits& out) {
  if (out.kill_file.empty() && field_in(lines_in(file), "oom_kill")) out.kill_file = file;
}

void add_version_2(const std::string& folder, GroupLimits& out) {
  const auto quota = words_of(line_in(folder + "cpu.max").value_or(""));
  const bool is_known = quota.size() == 2;
  add_quota(folder, is_known ? number_of(quota[0]) : std::nullopt,
            is_known ? number_of(quota[1]) : std::nullopt, out);
  add_memory(folder, "memory.max", "memory.current", "inactive_file", out);
  add_kill_file(folder + "memory.events", out);
  if (out.cpuset.empty()) out.cpuset = line_in(folder + "cpuset.cpus.effective").value_or("");
}

void add_version_1(const std::string& folder, GroupLimits& out) {
  add_quota(folder, number_in(folder + "cpu.cfs_quota_us"), number_in(folder + "cpu.cfs_period_us"), out);
  add_memory(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", out);
  add_kill_file(folder + "memory.oom_control", out);
  if (out.cpuset.empty()) out.cpuset = line_in(folder + "cpuset.effective_cpus").value_or("");
  if (out.cpuset.empty()) out.cpuset = line_in(folder + "cpuset.cpus").value_or("");
}

// The group's folder and those above it, up to the mount. In a container the path is often not visible; its
// own group is then at the mount, which comes last.
std::vector<std::string> folders_up(const std::string& mount, std::string group) {
  std::vector<std::string> folders;
  while (!group.empty() && group != "/") {
    if (group.back() == '/') group.pop_back();
    folders.push_back(mount + group + "/");
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
  folders.push_back(mount + "/");
  return folders;
}

}  // namespace

GroupLimits group_limits_under(const std::string& root) {
  GroupLimits out;
  const std::string mounts = root + "sys/fs/cgroup";
  for (const std::string& line :
       lines_in(root + "proc/self/cgroup")) {  // "4:cpu,cpuacct:/job/7", "0::/job/7"
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      std::error_code error;
      const bool hybrid = std::filesystem::is_directory(mounts + "/unified", error);
      for (const auto& folder : folders_up(hybrid ? mounts + "/unified" : mounts, group))
        add_version_2(folder, out);
    } else if (!controllers.starts_with("name=")) {
      for (const auto& folder : folders_up(mounts + "/" + controllers, group)) add_version_1(folder, out);
    }
  }
  return out;
}

}  // namespace kernsweep
