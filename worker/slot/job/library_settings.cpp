#include "worker/slot/job/library_settings.hpp"

#include <algorithm>

#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// "OpenBLAS 0.3.21 core=Haswell threads=2", "core" -> "Haswell"; "" if the key is missing. The file's name
// comes last and is not searched, because it may contain anything.
std::string_view value_in(std::string_view runtime, const std::string& key) {
  runtime = runtime.substr(0, runtime.find(" file="));
  const std::string mark = key + "=";
  for (std::size_t at = 0; (at = runtime.find(mark, at)) != std::string_view::npos; ++at) {
    if (at > 0 && runtime[at - 1] != ' ') continue;
    runtime.remove_prefix(at + mark.size());
    return runtime.substr(0, runtime.find(' '));
  }
  return {};
}

std::optional<std::string> core_type(const std::string& value, std::string_view runtime) {
  const std::string_view core = value_in(runtime, "core");
  if (core.empty() || lower(core) == lower(value)) return std::nullopt;
  return "asked for the core type " + value + ", the library chose " + std::string(core);
}

std::optional<std::string> architecture(const std::string& value, std::string_view runtime) {
  const std::string arch = lower(value_in(runtime, "arch"));
  if (arch.empty() || arch == "unknown") return std::nullopt;
  const std::string difference = "asked for BLIS_ARCH_TYPE=" + value + ", the library chose " + arch;
  if (const auto asked = number_of<int>(value)) {
    const auto chosen = number_of<int>(value_in(runtime, "arch_id"));
    if (*asked < 0 || !chosen || *asked == *chosen) return std::nullopt;
    return difference + " (" + std::to_string(*chosen) + ")";
  }
  const std::string asked = lower(value);
  for (const std::string_view set : {"avx", "sse", "ssse"})
    if (asked.starts_with(set)) return std::nullopt;
  if (asked == arch || (asked == "zen1" && arch == "zen")) return std::nullopt;
  return difference;
}

// dnnl_cpu_isa_t of oneDNN 2 and 3. The order is only partial; here no set is part of one with a lower
// rank.
struct Ranked {
  std::string_view name;
  int rank;
};
constexpr int kNoBound = 100;
constexpr Ranked kInstructionSets[] = {
    {"sse41", 1},
    {"avx", 2},
    {"avx2", 3},
    {"avx2_vnni", 4},
    {"avx2_vnni_2", 5},
    {"avx512_mic", 6},
    {"avx512_mic_4ops", 7},
    {"avx512_core", 8},
    {"avx512_core_vnni", 9},
    {"avx512_core_bf16", 10},
    {"avx512_core_fp16", 11},
    {"avx10_1_512", 11},
    {"avx512_core_amx", 12},
    {"avx10_1_512_amx", 12},
    {"avx512_core_amx_fp16", 13},
    {"avx10_1_512_amx_fp16", 13},
    {"avx10_2_512", 14},
    {"avx10_2_512_amx_2", 15},
    {"all", kNoBound},
    {"default", kNoBound},
};

std::optional<int> rank_of(std::string_view name) {
  const auto at = std::find_if(std::begin(kInstructionSets), std::end(kInstructionSets),
                               [&](const Ranked& each) { return each.name == name; });
  if (at == std::end(kInstructionSets)) return std::nullopt;
  return at->rank;
}

std::optional<std::string> instructions(std::string_view name, const std::string& value,
                                        std::string_view runtime) {
  const std::string isa = lower(value_in(runtime, "isa"));
  if (isa.empty() || !runtime.starts_with("oneDNN ")) return std::nullopt;
  const auto asked = rank_of(lower(value));
  const auto chosen = rank_of(isa);
  const std::string wish = "asked for " + std::string(name) + "=" + value;
  if (!asked) return wish + ", which is not an instruction set of oneDNN; it chose " + isa;
  if (!chosen || *chosen == kNoBound || *chosen <= *asked) return std::nullopt;
  return wish + ", the library chose " + isa;
}

}  // namespace

std::optional<std::string> library_difference(std::string_view name, const std::string& value,
                                              std::string_view runtime) {
  if (name == "OPENBLAS_CORETYPE") return core_type(value, runtime);
  if (name == "BLIS_ARCH_TYPE") return architecture(value, runtime);
  if (name == "ONEDNN_MAX_CPU_ISA" || name == "DNNL_MAX_CPU_ISA") return instructions(name, value, runtime);
  return std::nullopt;
}

std::optional<std::uint32_t> threads_stated(std::string_view runtime) {
  const auto number = number_of<int>(value_in(runtime, "threads"));
  if (!number || *number <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace kernsweep
