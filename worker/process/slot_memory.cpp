#include "worker/process/slot_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

namespace kernsweep::worker {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
// A process with less free memory is near the limit: OpenBLAS allocates a piece of this size at once for
// each thread.
constexpr std::uint64_t kPiece = 128 * kMiB;
constexpr std::uint64_t kHostLeftLeast = 64 * kMiB;

std::optional<pid_t> number_of(const std::string& name) {
  pid_t number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return std::nullopt;
  return number;
}

// "7 (a program) S 1 7 ...": the third field after the name.
std::optional<pid_t> group_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  char state = 0;
  pid_t parent = 0, group = 0;
  if (std::sscanf(line.c_str() + name_end + 1, " %c %d %d", &state, &parent, &group) != 3)
    return std::nullopt;
  return group;
}

std::uint64_t limit_of(pid_t process, decltype(RLIMIT_DATA) resource) {
  rlimit limit{};
  const bool known = prlimit(process, resource, nullptr, &limit) == 0;
  return known && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 0;
}

std::optional<MemoryUse> memory_of_process(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  MemoryUse use;
  bool has_memory = false;
  std::string word;
  while (file >> word) {
    std::uint64_t kib = 0;
    if (word == "Name:") {
      std::getline(file >> std::ws, use.program);
    } else if (word == "VmSize:" && file >> kib) {
      use.space = kib * 1024;
    } else if (word == "VmData:" && file >> kib) {
      use.data = kib * 1024;
      has_memory = true;
    }
  }
  if (!has_memory) return std::nullopt;  // it has ended, and its exit status was not read yet
  use.data_max = limit_of(process, RLIMIT_DATA);
  use.space_max = limit_of(process, RLIMIT_AS);
  return use;
}

// The use of one limit by one process.
struct Share {
  const MemoryUse* use = nullptr;
  bool is_data = true;
  std::uint64_t used() const { return is_data ? use->data : use->space; }
  std::uint64_t most() const { return is_data ? use->data_max : use->space_max; }
  std::uint64_t left() const { return most() - std::min(used(), most()); }
  bool is_near() const { return left() < std::max(kPiece, most() / 8); }
};

std::string text_of(const Share& share, const MemoryGiven& given) {
  const bool ours = share.is_data && share.most() == given.data_max;
  const char* const by = !share.is_data    ? "ulimit -v"
                         : !ours           ? "ulimit -d"
                         : given.by_option ? "--memory"
                                           : "four fifths of this machine's";
  std::string text =
      fmt::format("{} used {} MiB of {}; the limit is {} MiB ({})", share.use->program, share.used() / kMiB,
                  share.is_data ? "private memory" : "address space", share.most() / kMiB, by);
  if (!share.is_near()) return text;
  text += ": a request for more fails, or may wait forever; ";
  return text + (ours && !given.by_option ? "make the problem smaller, or use a machine with more memory"
                                          : fmt::format("raise it by {}", by));
}

}  // namespace

std::vector<MemoryUse> memory_of_group(pid_t group) {
  std::vector<MemoryUse> uses;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto process = number_of(entry.path().filename().string());
    if (!process || group_of(*process) != group) continue;
    if (auto use = memory_of_process(*process)) uses.push_back(std::move(*use));
  }
  return uses;
}

std::string note_of(const std::vector<MemoryUse>& uses, const MemoryGiven& given, std::uint64_t host_left) {
  std::optional<Share> nearest;
  for (const MemoryUse& use : uses) {
    for (const Share share : {Share{&use, true}, Share{&use, false}}) {
      const bool counts = share.most() > 0 && (share.is_near() || (share.is_data && given.by_option));
      if (counts && (!nearest || share.left() < nearest->left())) nearest = share;
    }
  }
  std::string text = nearest ? text_of(*nearest, given) : "";
  if (host_left < kHostLeftLeast)
    text += fmt::format(
        "{}this host, or its control group, had only {} MiB of memory left, so processes may stall; "
        "end other programs, or raise the limit (kernsweep doctor shows it)",
        text.empty() ? "" : "; ", host_left / kMiB);
  return text;
}

}  // namespace kernsweep::worker
