#include "results/roofs/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernsweep {

namespace {

constexpr double kHeldOverMeasured = 2;

bool known(double quantity) {
  return std::isfinite(quantity) && quantity > 0;
}

// u8 uses the peak of s8, because the instructions for s8 multiply u8 with s8. f8 uses it too: tensor cores
// have the same peak for both, by the data sheets of NVIDIA's L40S, H100 and B200.
const Limit* peak_of(const Roofs& roofs, const std::string& dtype) {
  const bool as_s8 = dtype == "u8" || dtype == "f8e4m3" || dtype == "f8e5m2";
  const auto found = roofs.peaks.find(as_s8 ? "s8" : dtype);
  return found == roofs.peaks.end() ? nullptr : &found->second;
}

const MemoryLevel* level_for(const Roofs& roofs, const Call& call) {
  const MemoryLevel* best = nullptr;
  for (const MemoryLevel& level : roofs.levels) {
    const bool memory = level.name == kMemory;
    if (!memory && (call.cold || level.bytes * kHeldOverMeasured < call.bytes)) continue;
    const bool smaller =
        best == nullptr || (!memory && (best->name == kMemory || level.bytes < best->bytes));
    if (smaller) best = &level;
  }
  return best;
}

// The most bytes that caches can hold, of operands before a call and of an output after it.
double held_by_caches(const Roofs& roofs) {
  double bytes = 0;
  for (const MemoryLevel& level : roofs.levels)
    bytes = std::max(bytes, level.name == kMemory ? level.bytes : 4 * kHeldOverMeasured * level.bytes);
  return bytes;
}

}  // namespace

std::string_view name_of(Bound bound) {
  constexpr std::string_view kNames[] = {"", "compute", "memory", "overhead", "launch"};
  return kNames[static_cast<std::size_t>(bound)];
}

void Roofs::add_peak(const std::string& dtype, const Limit& limit) {
  Limit& known_limit = peaks[dtype];
  if (limit.rate > known_limit.rate) known_limit = limit;
}

void Roofs::add_level(const MemoryLevel& level) {
  const auto same = [&](const MemoryLevel& other) { return other.name == level.name; };
  const auto found = std::ranges::find_if(levels, same);
  if (found == levels.end()) {
    levels.push_back(level);
  } else if (level.limit.rate > found->limit.rate) {
    *found = level;
  }
}

Result<RoofShare> share_of_roof(const Roofs& roofs, const Call& call) {
  if (!known(call.seconds)) return failure("it has no time");
  const bool computes = known(call.flops), moves = known(call.bytes);
  if (!computes && !moves) return failure("its kernel reports neither operations nor bytes");
  const Limit* peak = nullptr;
  if (computes) {
    if (call.dtype.empty())
      return failure(
          "its data type is not known: no column dtype, no inputs; kernsweep roofs --of takes --dtype");
    peak = peak_of(roofs, call.dtype);
    if (peak == nullptr) return failure(fmt::format("no peak was measured for {}", call.dtype));
  }
  const MemoryLevel* level = nullptr;
  if (moves) {
    level = level_for(roofs, call);
    if (level == nullptr)
      return failure(fmt::format("no bandwidth was measured that holds for {:.0f} bytes{}", call.bytes,
                                 call.cold ? " from cold caches" : ""));
  }
  const double arithmetic_s = peak != nullptr ? call.flops / (peak->rate * 1e9) : 0;
  const double traffic_s = level != nullptr ? call.bytes / (level->limit.rate * 1e9) : 0;
  RoofShare out;
  out.bound = arithmetic_s >= traffic_s ? Bound::compute : Bound::memory;
  out.roof = out.bound == Bound::compute ? call.dtype + " peak" : level->name + " bandwidth";
  out.limit = out.bound == Bound::compute ? *peak : level->limit;
  out.roof_seconds = std::max(arithmetic_s, traffic_s);
  out.share = out.roof_seconds / call.seconds;
  const bool by_warps =
      call.on_gpu && out.bound == Bound::compute && call.dtype != "f32" && call.dtype != "f64";
  if (by_warps) out.doubted_above = kAboveWarpRoof;
  out.intensity = !computes ? 0 : moves ? call.flops / call.bytes : std::numeric_limits<double>::infinity();
  if (out.share < kOverheadShare && call.seconds < kOverheadSeconds)
    out.bound = call.on_gpu ? Bound::launch : Bound::overhead;
  return out;
}

std::optional<RoofShare> share_of_least(const Roofs& roofs, const Call& call, Least least) {
  if (!known(call.seconds) || call.on_gpu) return std::nullopt;
  std::optional<RoofShare> out;
  const auto take = [&](Bound bound, const std::string& roof, const Limit& limit, double amount) {
    const double seconds = amount / (limit.rate * 1e9);
    const bool is_sure = limit.grade == 'A' || limit.grade == 'B';
    if (!is_sure || !known(seconds) || (out && out->roof_seconds >= seconds)) return;
    out = RoofShare{seconds / call.seconds, bound, 0, seconds, roof, limit};
  };
  const auto rate_of = [](const auto& peak) { return peak.second.rate; };
  const auto fastest = std::ranges::max_element(roofs.peaks, {}, rate_of);
  if (least.flops && fastest != roofs.peaks.end())
    take(Bound::compute, fastest->first + " peak", fastest->second, call.flops);
  const auto memory = std::ranges::find(roofs.levels, kMemory, &MemoryLevel::name);
  if (least.bytes && memory != roofs.levels.end())
    take(Bound::memory, memory->name + " bandwidth", memory->limit, call.bytes - held_by_caches(roofs));
  return out;
}

}  // namespace kernsweep
