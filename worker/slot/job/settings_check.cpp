#include "worker/slot/job/settings_check.hpp"

#include <unistd.h>

#include <algorithm>

#include "shared/lists/end_notes.hpp"
#include "worker/host/children.hpp"
#include "worker/host/topology.hpp"
#include "worker/slot/job/library_settings.hpp"

namespace kernsweep {
namespace {

std::string were_asked_for(std::uint32_t threads) {
  return std::to_string(threads) + (threads == 1 ? " thread was" : " threads were") + " asked for, ";
}

void compare_threads(const Asked& asked, const Found& found, std::vector<std::string>& out) {
  if (found.on_device) return;
  const auto stated = threads_stated(found.runtime);
  bool said = false;
  if (found.threads) {
    const auto [count, at_least] = *found.threads;
    const bool in_turn = found.threads_at_once && *found.threads_at_once <= asked.threads;
    if ((count > asked.threads && !in_turn) || (count < asked.threads && !at_least)) {
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

std::optional<std::string> lack_of_cores(const Asked& asked, const std::vector<CoreLook>& looks) {
  std::size_t wanted = asked.threads;
  if (!asked.cpus.empty()) wanted = std::min(wanted, asked.cpus.size());  // threads share the others anyway
  const auto few = few_cores(looks, static_cast<std::uint32_t>(wanted));
  if (!few) return std::nullopt;
  const std::string cores = few->cpus.size() == 1 ? "core " : "cores ";
  return were_asked_for(asked.threads) + "and by their affinity " + std::to_string(few->at_once) +
         " can run at a time, on " + cores + cpu_list_text(few->cpus);
}

std::optional<std::string> advice_on_threads(const Asked& asked, const std::vector<CoreLook>& looks,
                                             std::uint32_t processors) {
  // A shell and the program that it starts are both ready for a moment.
  constexpr double kHalf = 0.5;
  const std::uint32_t ready = ready_at_once(looks, kHalf).value_or(0), useful = std::min(ready, processors);
  if (ready <= asked.threads || processors == 0) return std::nullopt;
  const std::string on = std::to_string(ready) + " threads on " + std::to_string(asked.threads) +
                         (asked.threads == 1 ? " core" : " cores");
  return useful > asked.threads ? on + std::string(kAddThreads) + std::to_string(useful)
                                : on + ", all that the host has";
}

std::vector<Cpus> cpus_of_threads(int process) {
  std::vector<Cpus> out;
  for (const int thread : threads_of(process == 0 ? getpid() : process))
    if (auto cpus = cpus_of_thread(thread)) out.push_back(std::move(*cpus));
  return out;
}

Cpus bound_cpus() {
  return cpus_of_thread(0).value_or(Cpus());
}

}  // namespace kernsweep
