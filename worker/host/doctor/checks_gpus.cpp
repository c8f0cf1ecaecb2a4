#include <fmt/format.h>

#include <algorithm>

#include "shared/wire/gpu.pb.h"
#include "worker/host/doctor/checks.hpp"

namespace kernsweep {
namespace {

// The GPUs that the driver has reported; empty if it was not asked.
const auto& reported_gpus(const HostConditions& host) {
  static const wire::Gpus none;
  return host.gpu.reported ? host.gpu.reported->gpus() : none.gpus();
}

std::string text_of(const wire::Gpu& gpu) {
  const auto mode = [](bool known, const char* name, bool on) {
    return known ? fmt::format(", {} {}", name, on ? "on" : "off") : std::string();
  };
  return fmt::format("{} ({}, compute capability {:.1f}, {} multiprocessors, {}, L2 {}{}{})", gpu.name(),
                     gpu.uuid(), gpu.capability_tenths() / 10.0, gpu.multiprocessors(),
                     bytes_text(gpu.memory_bytes()), bytes_text(gpu.l2_bytes()),
                     mode(gpu.has_ecc(), "ECC", gpu.ecc()), mode(gpu.has_mig(), "MIG", gpu.mig()));
}

void add_word(std::string& text, const std::string& word, const char* between = ", ") {
  text += (text.empty() ? "" : between) + word;
}

Assessment devices(const HostConditions& host) {
  const GpuState& gpu = host.gpu;
  Assessment out;
  std::string on_bus, found, troubles;
  for (const std::string& device : gpu.devices) add_word(on_bus, device);
  for (const wire::Gpu& each : reported_gpus(host)) add_word(found, text_of(each), "; ");
  if (gpu.reported)
    for (const std::string& trouble : gpu.reported->troubles()) add_word(troubles, trouble, "; ");
  out.values = {{"devices", static_cast<std::int64_t>(gpu.devices.size())},
                {"names", on_bus},
                {"nvidia_driver", gpu.nvidia_driver},
                {"libcuda", gpu.libcuda},
                {"usable", std::int64_t{reported_gpus(host).size()}},
                {"cuda", gpu.reported ? gpu.reported->cuda() : ""},
                {"troubles", troubles}};
  out.found = !found.empty() ? found : on_bus.empty() ? "none" : on_bus;
  if (!found.empty() && !gpu.reported->driver().empty()) out.found += "; driver " + gpu.reported->driver();
  if (!found.empty() && !gpu.reported->cuda().empty()) out.found += "; CUDA " + gpu.reported->cuda();
  const bool nvidia = on_bus.find("NVIDIA") != std::string::npos;
  const bool whole = !gpu.nvidia_driver.empty() && !gpu.libcuda.empty();
  if (!troubles.empty()) {
    out.found += "; " + troubles;
    out.remedy = "look at what nvidia-smi says";
  } else if (nvidia && !whole && found.empty()) {
    out.found += gpu.nvidia_driver.empty() ? "; its driver is not loaded" : "; libcuda.so.1 is missing";
    out.remedy = "install NVIDIA's driver with its CUDA library, and look at what nvidia-smi says";
  } else if (nvidia && gpu.reported && found.empty()) {
    out.found += "; " + gpu.reported->none();
    out.remedy = "see whether CUDA_VISIBLE_DEVICES or a container hides them";
  } else if (gpu.reported && found.empty() && !gpu.reported->none().empty()) {
    out.found += "; " + gpu.reported->none();
  }
  if (!out.remedy.empty()) out.verdict = Verdict::warning;
  return out;
}

Assessment alone(const HostConditions& host) {
  Assessment out;
  std::int64_t count = 0;
  std::string listed;
  for (const wire::Gpu& gpu : reported_gpus(host)) {
    for (const wire::GpuProcess& process : gpu.processes()) {
      ++count;
      std::string text = process.name().empty() ? "process" : process.name();
      text += fmt::format(" {} on {}", process.pid(), gpu.uuid());
      if (process.has_memory_bytes()) text += " with " + bytes_text(process.memory_bytes());
      add_word(listed, text);
    }
  }
  out.values = {{"processes", count}, {"names", listed}};
  out.found = reported_gpus(host).empty() ? "no GPU to compute with" : "no other process computes there";
  if (count == 0 && !std::ranges::all_of(reported_gpus(host), &wire::Gpu::processes_known)) {
    out.verdict = Verdict::note;
    out.found = "not reported by this driver";
    out.remedy = "look at what nvidia-smi says";
  }
  if (count == 0) return out;
  out.verdict = Verdict::warning;
  out.found = listed;
  out.remedy = "stop them, or wait for their end: nvidia-smi";
  return out;
}

Assessment clocks(const HostConditions& host) {
  Assessment out;
  std::string reasons, found;
  bool too_hot = false, known = true;
  for (const wire::Gpu& gpu : reported_gpus(host)) {
    std::string text = gpu.uuid() + ":";
    if (gpu.has_clock_mhz()) text += fmt::format(" {} MHz", gpu.clock_mhz());
    if (gpu.has_clock_max_mhz()) text += fmt::format(" of {}", gpu.clock_max_mhz());
    if (gpu.has_temperature_c()) text += fmt::format(", {} C", gpu.temperature_c());
    if (gpu.has_power_w()) text += fmt::format(", {:.0f} W", gpu.power_w());
    if (gpu.has_power_limit_w()) text += fmt::format(" of {:.0f}", gpu.power_limit_w());
    std::string slowed;
    for (const std::string& reason : gpu.slowed_by()) {
      add_word(slowed, reason);
      too_hot = too_hot || reason.starts_with("hw_") || reason == "sw_thermal_slowdown";
    }
    if (!slowed.empty()) text += ", slowed by " + slowed;
    if (!gpu.slowing_known()) text += ", what slows it down is not reported by this driver";
    known = known && gpu.slowing_known();
    add_word(found, text, "; ");
    if (!slowed.empty()) add_word(reasons, slowed);
  }
  out.values = {{"slowed_by", reasons}};
  out.found = found.empty() ? "no GPU to compute with" : found;
  if (!known) out.verdict = Verdict::note;
  if (reasons.empty()) return out;
  out.verdict = too_hot ? Verdict::warning : Verdict::note;
  out.remedy =
      too_hot ? "let it cool down, and check its cooling and power supply: nvidia-smi -q -d PERFORMANCE"
              : "see whether that is meant: nvidia-smi -q -d PERFORMANCE";
  return out;
}

const Check kGpuChecks[] = {
    {"gpu.devices", "GPUs", "Kernels for a GPU need the device, its driver and libcuda.so.1.",
     &one<devices>},
    {"gpu.alone", "GPUs", "Another program on the card takes its time, its caches and its memory.",
     &one<alone>},
    {"gpu.clocks", "GPUs",
     "A card that is too hot, or held to a power or a clock, is slower than it can be.", &one<clocks>},
};

}  // namespace

std::span<const Check> gpu_checks() {
  return kGpuChecks;
}

}  // namespace kernsweep
