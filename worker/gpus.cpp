#include "worker/gpus.hpp"

#include <algorithm>

#include "shared/base/installation.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

constexpr Duration kAnswerLimit = std::chrono::seconds(90);

wire::Gpus trouble(const std::string& why) {
  wire::Gpus gpus;
  gpus.add_troubles(why);
  return gpus;
}

}  // namespace

Result<Child> ask_for_gpus() {
  Launch start;
  start.program = slot_program();
  start.arguments = {"--gpus"};
  start.environment = environment_with_every_gpu();
  start.capture_output = true;
  return launch(start);
}

wire::Gpus gpus_of(Result<Child>& child) {
  if (!child) return trouble("GPUs cannot be asked for: " + child.error().message);
  const ExitedProcess exited = run_to_exit(*child, kAnswerLimit);
  wire::Gpus gpus;
  const bool good =
      exited.in_time && exited.ending && !exited.ending->signalled && exited.ending->number == 0;
  if (good && gpus.ParseFromString(exited.output)) return gpus;
  const std::string how = !exited.in_time            ? "its process does not answer within 90 s"
                          : !exited.ending           ? "its process does not end"
                          : exited.ending->signalled ? "its process was " + describe(*exited.ending)
                                                     : "its process " + describe(*exited.ending);
  return trouble("the CUDA driver cannot be asked for GPUs: " + how);
}

wire::Gpus gpus_left(const wire::Gpus& gpus, const std::map<std::uint32_t, std::string>& lost) {
  wire::Gpus left = gpus;
  left.clear_gpus();
  for (int place = 0; place < gpus.gpus_size(); ++place) {
    const auto why = lost.find(static_cast<std::uint32_t>(place));
    if (why == lost.end()) {
      *left.add_gpus() = gpus.gpus(place);
      continue;
    }
    wire::LostGpu& gone = *left.add_lost();
    gone.set_uuid(gpus.gpus(place).uuid());
    gone.set_name(gpus.gpus(place).name());
    gone.set_why(why->second);
  }
  return left;
}

std::map<std::string, Value> gpu_facts(const wire::Gpus& gpus) {
  std::map<std::string, Value> facts = {{"count", static_cast<std::int64_t>(gpus.gpus_size())}};
  if (gpus.gpus_size() == 0) return facts;
  const auto least = [&](auto of) {
    auto value = of(gpus.gpus(0));
    for (const wire::Gpu& gpu : gpus.gpus()) value = std::min(value, of(gpu));
    return value;
  };
  facts["memory_bytes"] =
      least([](const auto& gpu) { return static_cast<std::int64_t>(gpu.memory_bytes()); });
  facts["compute_capability"] = least([](const auto& gpu) { return gpu.capability_tenths(); }) / 10.0;
  facts["multiprocessors"] = least([](const auto& gpu) { return std::int64_t{gpu.multiprocessors()}; });
  facts["l2_bytes"] = least([](const auto& gpu) { return static_cast<std::int64_t>(gpu.l2_bytes()); });
  const auto alike = [&](const wire::Gpu& gpu) { return gpu.name() == gpus.gpus(0).name(); };
  if (std::ranges::all_of(gpus.gpus(), alike)) facts["name"] = gpus.gpus(0).name();
  if (!gpus.driver().empty()) facts["driver"] = gpus.driver();
  if (!gpus.cuda().empty()) facts["cuda"] = gpus.cuda();
  return facts;
}

}  // namespace kernsweep
