#include "worker/slot/job/settings_check.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "worker/host/topology.hpp"
#include "worker/slot/job/library_settings.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

// Calls visit(thread id) for each thread of a process; 0: of this one.
template <class Visit>
void for_each_thread(int process, Visit visit) {
  std::error_code error;
  const std::string folder = "/proc/" + (process == 0 ? "self" : std::to_string(process)) + "/task";
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    int id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc()) visit(id);
  }
}

// `id`: a thread's number; 0: the calling thread. Nothing: the thread has ended.
std::optional<std::vector<std::uint32_t>> cpus_of(int id) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(id, sizeof set, &set) != 0) return std::nullopt;
  std::vector<std::uint32_t> cpus;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::string were_asked_for(std::uint32_t threads) {
  return std::to_string(threads) + (threads == 1 ? " thread was" : " threads were") + " asked for, ";
}

void compare_threads(const Asked& asked, const Found& found, std::vector<std::string>& out) {
  const auto stated = threads_stated(found.runtime);
  bool said = false;
  if (found.threads) {
    const auto [count, at_least] = *found.threads;
    if (count > asked.threads || (count < asked.threads && !at_least)) {
      out.push_back(were_asked_for(asked.threads) + (at_least ? "at least " : "") + std::to_string(count) +
                    " worked");
      said = count == stated;
    }
  }
  if (stated && stated != asked.threads && !said)
    out.push_back(were_asked_for(asked.threads) + "the variant says that it uses " +
                  std::to_string(*stated));
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
    if (auto difference = library_difference(name, value, found.runtime))
      out.push_back(std::move(*difference));
  }
}

}  // namespace

std::vector<std::string> differences(const Asked& asked, const Found& found) {
  std::vector<std::string> out;
  compare_threads(asked, found, out);
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

std::vector<std::vector<std::uint32_t>> cpus_of_threads(int process) {
  std::vector<std::vector<std::uint32_t>> out;
  for_each_thread(process, [&](int id) {
    if (auto cpus = cpus_of(id)) out.push_back(std::move(*cpus));
  });
  return out;
}

std::vector<std::uint32_t> bound_cpus() {
  return cpus_of(0).value_or(std::vector<std::uint32_t>());
}

}  // namespace kernsweep
