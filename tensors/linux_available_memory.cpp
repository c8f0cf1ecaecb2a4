#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "tensors/available_memory.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;  // also "max": no limit
  return number;
}

// The number after a word: "MemAvailable:  1234 kB", "inactive_file 1234".
std::optional<std::uint64_t> number_after(const std::string& path, const std::string& word) {
  std::ifstream file(path);
  std::string first;
  std::uint64_t number = 0;
  while (file >> first) {
    if (first == word && file >> number) return number;
    file.clear();
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

std::uint64_t left_in_group(const std::string& folder) {
  const auto limit = number_in(folder + "/memory.max");
  const auto used = number_in(folder + "/memory.current");
  if (!limit || !used) return kUnknown;
  const std::uint64_t droppable = number_after(folder + "/memory.stat", "inactive_file").value_or(0);
  const std::uint64_t kept = *used - std::min(*used, droppable);
  return *limit - std::min(*limit, kept);
}

// The path of "0::/user.slice/job.scope" of version 2; empty if there is none.
std::string group_of_this_process(const std::string& root) {
  std::ifstream file(root + "proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/")) return line.substr(3);
  return {};
}

}  // namespace

std::uint64_t available_memory_under(const std::string& root) {
  std::uint64_t available = kUnknown;
  if (const auto kib = number_after(root + "proc/meminfo", "MemAvailable:")) available = *kib * 1024;
  // Each group up to the root has a limit of its own.
  std::string group = group_of_this_process(root);
  while (!group.empty()) {
    if (group.back() == '/') group.pop_back();
    available = std::min(available, left_in_group(root + "sys/fs/cgroup" + group));
    const auto slash = group.rfind('/');
    group = slash == std::string::npos ? "" : group.substr(0, slash + 1);
  }
  return available;
}

std::uint64_t available_memory() {
  return available_memory_under("/");
}

}  // namespace kernsweep
