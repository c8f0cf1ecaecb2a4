#include "worker/host/processor_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kernsweep {
namespace {

constexpr double kClockHz = 6e9;
constexpr double kLines = 3, kLineBytes = 64;  // of the first cache, in a cycle
constexpr double kMemoryBytesPerS = 200e9;     // of one core, which can wait only for a few lines
constexpr int kPipes = 4;

std::string on_cores(std::uint32_t cores) {
  return fmt::format("on {} {}", cores, cores == 1 ? "core" : "cores");
}

}  // namespace

ProcessorLimits limits_of(const VectorUnits& units) {
  const double f32 = units.bits / 32.0 * kPipes * (units.has_fma ? 2 : 1);
  // VNNI multiplies four bytes where f32 multiplies one number; AMX 16 x 16 x 64 bytes in 16 cycles,
  // doubled.
  constexpr double kBytes = 4, kMatrices = 4096;
  return {f32 / 2, f32, units.has_matrices ? kMatrices : kBytes * f32};
}

ProcessorLimits limits_of_this_processor() {
#if defined(__x86_64__)
  VectorUnits units;
  units.has_fma = __builtin_cpu_supports("fma");
  if (__builtin_cpu_supports("avx")) units.bits = 256;
  if (__builtin_cpu_supports("avx512f")) units.bits = 512;
  constexpr unsigned kFeatures = 7, kAmx = (1U << 22) | (1U << 24) | (1U << 25);
  unsigned a = 0, b = 0, c = 0, d = 0;
  units.has_matrices = __get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) != 0 && (d & kAmx) != 0;
  return limits_of(units);
#else
  return {512, 2048, 4096};
#endif
}

std::optional<AboveLimit> above_limit(const CallRate& call, const ProcessorLimits& limits) {
  AboveLimit out;
  const double clocks = kClockHz * call.cores;
  const double flops = call.flops / call.seconds, most_flops = limits.of(call.arithmetic) * clocks;
  if (flops > most_flops) {
    const char* const type = call.arithmetic == Arithmetic::f64   ? " in f64"
                             : call.arithmetic == Arithmetic::f32 ? " in f32"
                                                                  : "";
    out = {flops / most_flops,
           fmt::format("{:.4g} GFLOP/s{} {}, which can do {:.4g} at most ({:g} operations a cycle, 6 GHz)",
                       flops * 1e-9, type, on_cores(call.cores), most_flops * 1e-9,
                       limits.of(call.arithmetic))};
  }
  const bool is_memory = call.cache_bytes > 0 && std::min(call.bytes, call.operand_bytes) >
                                                     2 * static_cast<double>(call.cache_bytes);
  const double most_bytes = is_memory ? kMemoryBytesPerS * call.cores : kLines * kLineBytes * clocks;
  const double bytes = call.bytes / call.seconds;
  if (bytes > out.times * most_bytes)
    out = {bytes / most_bytes, fmt::format("{:.4g} GB/s {}, which can move {:.4g} at most {}", bytes * 1e-9,
                                           on_cores(call.cores), most_bytes * 1e-9,
                                           is_memory ? "between memory and themselves"
                                                     : "(three lines of a cache a cycle, 6 GHz)")};
  return out.times > 1 ? std::optional(out) : std::nullopt;
}

}  // namespace kernsweep
