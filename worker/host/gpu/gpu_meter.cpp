#include "worker/host/gpu/gpu_meter.hpp"

#include <unistd.h>

#include <algorithm>

#include "worker/host/gpu/nvml.hpp"

namespace kernsweep {
namespace {

// Updates `into` with `number`, if that is known; `best` chooses one of two numbers.
template <class Best>
void take(std::optional<double>& into, std::optional<double> number, Best best) {
  if (number) into = into ? best(*into, *number) : *number;
}

template <class Number>
std::optional<double> as_real(std::optional<Number> number, double unit = 1) {
  if (!number) return std::nullopt;
  return static_cast<double>(*number) * unit;
}

// Adds known numbers.
void add(std::optional<std::uint64_t>& into, std::optional<std::uint64_t> number) {
  if (number) into = into.value_or(0) + *number;
}

class NvmlMeter : public GpuMeter {
 public:
  NvmlMeter() : library_("libnvidia-ml.so.1"), nvml_(library_) {}

  bool find(const std::vector<std::string>& uuids) {
    if (!library_.is_open() || nvml_.call("nvmlInit_v2") != nvml::kSuccess) return false;
    for (const std::string& uuid : uuids) {
      nvml::Device device = nullptr;
      if (nvml_.call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device) == nvml::kSuccess)
        devices_.push_back(device);
    }
    all_found_ = devices_.size() == uuids.size();
    return !devices_.empty();
  }

  GpuReading read() override {
    const auto lowest = [](double a, double b) { return std::min(a, b); };
    const auto highest = [](double a, double b) { return std::max(a, b); };
    GpuReading out;
    double energy_j = 0;
    bool energy_known = all_found_;
    for (const nvml::Device device : devices_) {
      const auto clock = [&](int which) {
        return as_real(nvml_.clock("nvmlDeviceGetClockInfo", device, which));
      };
      take(out.clock_mhz, clock(nvml::kClockOfMultiprocessors), lowest);
      take(out.memory_clock_mhz, clock(nvml::kClockOfMemory), lowest);
      take(out.temperature_c, as_real(nvml_.clock("nvmlDeviceGetTemperature", device, nvml::kSensorOfGpu)),
           highest);
      const auto used_j =
          as_real(nvml_.number<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", device), 1e-3);
      energy_known = energy_known && used_j.has_value();
      energy_j += used_j.value_or(0);
      out.slowed_by |= nvml_.slowed_by(device).value_or(0);
      add(out.ecc_errors, nvml_.uncorrected_errors(device));
      add(out.other_processes, other_processes_on(device));
    }
    if (energy_known) out.energy_j = energy_j;
    return out;
  }

 private:
  std::optional<std::uint64_t> other_processes_on(nvml::Device device) const {
    const auto all = nvml_.processes(device);
    if (!all) return std::nullopt;
    const auto own = static_cast<unsigned>(getpid());
    const bool is_listed = std::ranges::find(*all, own, &nvml::Process::pid) != all->end();
    return is_listed ? std::optional<std::uint64_t>(all->size() - 1) : std::nullopt;
  }

  DriverLibrary library_;
  nvml::Management nvml_;
  std::vector<nvml::Device> devices_;
  bool all_found_ = true;
};

}  // namespace

std::unique_ptr<GpuMeter> meter_of_gpus(const std::vector<std::string>& uuids) {
  auto meter = std::make_unique<NvmlMeter>();
  if (!meter->find(uuids)) return nullptr;
  return meter;
}

std::vector<std::string> names_of_reasons(std::uint64_t slowed_by) {
  std::vector<std::string> names;
  for (const nvml::Reason& reason : nvml::kReasons) {
    if (slowed_by & reason.bit) names.emplace_back(reason.name);
  }
  return names;
}

std::uint64_t slowing_reasons(std::uint64_t slowed_by) {
  std::uint64_t slowing = 0;
  for (const nvml::Reason& reason : nvml::kReasons) {
    if (reason.slows) slowing |= slowed_by & reason.bit;
  }
  return slowing;
}

}  // namespace kernsweep
