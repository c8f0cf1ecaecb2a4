#include "worker/slot/asked.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "worker/host/topology.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// "OpenBLAS 0.3.21 core=Haswell threads=2" -> "Haswell"; "" when it does not say.
std::string_view core_type_in(std::string_view runtime) {
  constexpr std::string_view kMark = "core=";
  const std::size_t at = runtime.find(kMark);
  if (at == std::string_view::npos || (at > 0 && runtime[at - 1] != ' ')) return {};
  runtime.remove_prefix(at + kMark.size());
  return runtime.substr(0, runtime.find(' '));
}

// Calls visit(thread id) for each thread of this process.
template <class Visit>
void for_each_thread(Visit visit) {
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/task", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    int id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc()) visit(id);
  }
}

void compare_environment(const Asked& asked, const Found& found, std::vector<std::string>& out) {
  if (!found.variable) return;
  for (const auto& [name, value] : asked.environment) {
    const char* const now = found.variable(name.c_str());
    if (!now) {
      out.push_back("asked for " + name + "=" + value + ", it is not set any more");
    } else if (now != value) {
      out.push_back("asked for " + name + "=" + value + ", it is now " + now);
    }
    const std::string_view core = core_type_in(found.runtime);
    if (name == "OPENBLAS_CORETYPE" && !core.empty() && lower(core) != lower(value))
      out.push_back("asked for the core type " + value + ", the library chose " + std::string(core));
  }
}

}  // namespace

std::vector<std::string> differences(const Asked& asked, const Found& found) {
  std::vector<std::string> out;
  if (found.threads > asked.threads) {
    out.push_back("asked for " + std::to_string(asked.threads) +
                  (asked.threads == 1 ? " thread" : " threads") + ", the process has " +
                  std::to_string(found.threads - asked.threads) + " more");
  }
  const auto strays = [&](const std::vector<std::uint32_t>& cpus) {
    return std::any_of(cpus.begin(), cpus.end(), [&](std::uint32_t cpu) {
      return std::find(asked.cpus.begin(), asked.cpus.end(), cpu) == asked.cpus.end();
    });
  };
  if (!asked.cpus.empty()) {
    const auto stray = std::find_if(found.cpus_of_threads.begin(), found.cpus_of_threads.end(), strays);
    if (stray != found.cpus_of_threads.end()) {
      out.push_back("asked for the cores " + cpu_list_text(asked.cpus) + ", a thread may run on " +
                    cpu_list_text(*stray));
    }
  }
  compare_environment(asked, found, out);
  return out;
}

std::uint32_t thread_count() {
  std::uint32_t count = 0;
  for_each_thread([&](int) { ++count; });
  return count;
}

std::vector<std::vector<std::uint32_t>> cpus_of_threads() {
  std::vector<std::vector<std::uint32_t>> out;
  for_each_thread([&](int id) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(id, sizeof set, &set) != 0) return;  // it has just ended
    std::vector<std::uint32_t> cpus;
    for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
    out.push_back(std::move(cpus));
  });
  return out;
}

}  // namespace kernsweep
