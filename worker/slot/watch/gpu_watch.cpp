#include "worker/slot/watch/gpu_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "shared/stats/statistics.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

// The known values of the readings, in ascending order.
std::vector<double> known(const std::vector<GpuReading>& readings,
                          std::optional<double> GpuReading::*number) {
  std::vector<double> numbers;
  for (const GpuReading& reading : readings) {
    if (reading.*number) numbers.push_back(*(reading.*number));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Compares the two halves of the looks, in their order.
bool is_steady(const std::vector<GpuReading>& readings) {
  constexpr std::size_t kLeast = 4;
  if (readings.size() < kLeast) return false;
  const auto middle = readings.begin() + static_cast<std::ptrdiff_t>(readings.size() / 2);
  const auto first = known({readings.begin(), middle}, &GpuReading::clock_mhz);
  const auto last = known({middle, readings.end()}, &GpuReading::clock_mhz);
  if (first.empty() || last.empty()) return false;
  const double before = quantile_of_sorted(first, 0.5), after = quantile_of_sorted(last, 0.5);
  return std::abs(after - before) <= kSteadyClock * before;
}

std::optional<double> quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nullopt;
  return quantile_of_sorted(sorted, share);
}

}  // namespace

void GpuWatch::read(Instant now) {
  readings_.push_back(meter_.read());
  last_ = now;
}

void GpuWatch::begin(Instant now) {
  readings_.clear();
  read(now);
  first_ = now;
}

void GpuWatch::look(Instant now) {
  if (readings_.empty() || now - last_ >= kEvery) read(now);
}

GpuSection GpuWatch::end(Instant now) {
  read(now);
  GpuSection out;
  const std::vector<double> clocks = known(readings_, &GpuReading::clock_mhz);
  out.clock_mhz = quantile(clocks, 0.5);
  out.clock_low_mhz = quantile(clocks, 0);
  out.memory_clock_mhz = quantile(known(readings_, &GpuReading::memory_clock_mhz), 0.5);
  out.temperature_c = quantile(known(readings_, &GpuReading::temperature_c), 1);
  const GpuReading& before = readings_.front();
  const GpuReading& after = readings_.back();
  const double time_s = seconds(last_ - first_);
  // The counter of a card is updated every 20 to 100 ms.
  constexpr double kEnergyLeastS = 1;
  if (time_s >= kEnergyLeastS && before.energy_j && after.energy_j && *after.energy_j >= *before.energy_j) {
    out.energy_j = *after.energy_j - *before.energy_j;
    out.power_w = *out.energy_j / time_s;
  }
  out.clock_steady = is_steady(readings_);
  const std::uint64_t errors = after.ecc_errors.value_or(0);
  out.ecc_errors = errors - std::min(errors, before.ecc_errors.value_or(errors));
  std::size_t slowed = 0;
  for (const GpuReading& reading : readings_) {
    out.slowed_by |= reading.slowed_by;
    slowed += slowing_reasons(reading.slowed_by) != 0;
    out.other_processes = std::max(out.other_processes, reading.other_processes.value_or(0));
  }
  out.slowed_share = static_cast<double>(slowed) / static_cast<double>(readings_.size());
  return out;
}

std::vector<CountedMetric> metrics_of(const GpuSection& conditions, double calls) {
  std::optional<double> energy_j = conditions.energy_j;
  if (energy_j) *energy_j /= std::max(calls, 1.0);
  const std::pair<const char*, std::optional<double>> all[] = {
      {"gpu_clock_mhz", conditions.clock_mhz},
      {"gpu_clock_low_mhz", conditions.clock_low_mhz},
      {"gpu_memory_clock_mhz", conditions.memory_clock_mhz},
      {"gpu_temperature_c", conditions.temperature_c},
      {"gpu_energy_j", energy_j},
      {"gpu_power_w", conditions.power_w},
  };
  std::vector<CountedMetric> numbers;
  for (const auto& [name, number] : all) {
    if (number) numbers.push_back({name, *number, Better::unknown, ""});
  }
  return numbers;
}

std::vector<std::string> complaints(const GpuSection& conditions) {
  std::vector<std::string> out;
  const std::uint64_t slowing = slowing_reasons(conditions.slowed_by);
  const bool is_normal = slowing == kPowerLimit && conditions.clock_steady;
  const std::vector<std::string> reasons = names_of_reasons(slowing);
  constexpr double kNoticed = 0.05;  // share of the looks
  if (!reasons.empty() && !is_normal && conditions.slowed_share >= kNoticed) {
    std::string text = "the GPU was slowed down by ";
    for (const std::string& reason : reasons) text += (&reason == &reasons.front() ? "" : ", ") + reason;
    char share[32];
    std::snprintf(share, sizeof share, " in %.0f %% of the looks at it", conditions.slowed_share * 100);
    out.push_back(text + share);
  }
  if (conditions.ecc_errors > 0)
    out.push_back("the GPU's memory had " +
                  counted(conditions.ecc_errors, "error that ECC could not correct",
                          "errors that ECC could not correct") +
                  " while it was sampled");
  if (conditions.other_processes > 0)
    out.push_back("the GPU was shared with " +
                  counted(conditions.other_processes, "other process", "other processes"));
  return out;
}

}  // namespace kernsweep
