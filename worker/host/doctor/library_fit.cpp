#include "worker/host/doctor/library_fit.hpp"

#include <algorithm>
#include <cctype>

namespace kernsweep {
namespace {

struct Named {
  std::string_view name;  // lower case
  VectorLevel level;
};

// Kernel sets of OpenBLAS (TargetList.txt) and architectures of BLIS (config_registry); lower case.
constexpr Named kKernelSets[] = {
    {"katmai", VectorLevel::sse},
    {"coppermine", VectorLevel::sse},
    {"northwood", VectorLevel::sse},
    {"banias", VectorLevel::sse},
    {"prescott", VectorLevel::sse},
    {"core2", VectorLevel::sse},
    {"penryn", VectorLevel::sse},
    {"dunnington", VectorLevel::sse},
    {"nehalem", VectorLevel::sse},
    {"atom", VectorLevel::sse},
    {"nano", VectorLevel::sse},
    {"athlon", VectorLevel::sse},
    {"opteron", VectorLevel::sse},
    {"opteron(sse3)", VectorLevel::sse},
    {"opteron_sse3", VectorLevel::sse},
    {"barcelona", VectorLevel::sse},
    {"bobcat", VectorLevel::sse},
    {"sandybridge", VectorLevel::avx},
    {"bulldozer", VectorLevel::avx},
    {"piledriver", VectorLevel::avx},
    {"steamroller", VectorLevel::avx},
    {"excavator", VectorLevel::avx2},
    {"haswell", VectorLevel::avx2},
    {"zen", VectorLevel::avx2},
    {"zen2", VectorLevel::avx2},
    {"zen3", VectorLevel::avx2},
    {"skylakex", VectorLevel::avx512},
    {"skx", VectorLevel::avx512},
    {"knl", VectorLevel::avx512},
    {"zen4", VectorLevel::avx512_bf16},
    {"zen5", VectorLevel::avx512_bf16},
    {"cooperlake", VectorLevel::avx512_bf16},
    {"sapphirerapids", VectorLevel::amx},
    {"armv8", VectorLevel::neon},
    {"cortexa53", VectorLevel::neon},
    {"cortexa55", VectorLevel::neon},
    {"cortexa57", VectorLevel::neon},
    {"cortexa72", VectorLevel::neon},
    {"cortexa73", VectorLevel::neon},
    {"neoversen1", VectorLevel::neon},
    {"thunderx", VectorLevel::neon},
    {"thunderx2", VectorLevel::neon},
    {"thunderx2t99", VectorLevel::neon},
    {"thunderx3t110", VectorLevel::neon},
    {"emag8180", VectorLevel::neon},
    {"tsv110", VectorLevel::neon},
    {"vortex", VectorLevel::neon},
    {"firestorm", VectorLevel::neon},
    {"altra", VectorLevel::neon},
    {"armv8sve", VectorLevel::sve},
    {"armsve", VectorLevel::sve},
    {"a64fx", VectorLevel::sve},
    {"neoversev1", VectorLevel::sve},
    {"neoversen2", VectorLevel::sve},
    // MKL, by the library that has them. Without `def`: its use on AMD's processors is not documented.
    {"mc", VectorLevel::sse},
    {"mc3", VectorLevel::sse},
    {"avx512", VectorLevel::avx512},
    // oneDNN (dnnl_cpu_isa_t); some names are MKL's, too.
    {"sse41", VectorLevel::sse},
    {"avx", VectorLevel::avx},
    {"avx2", VectorLevel::avx2},
    {"avx2_vnni", VectorLevel::avx2},
    {"avx512_core", VectorLevel::avx512},
    {"avx512_core_vnni", VectorLevel::avx512},
    {"avx512_core_bf16", VectorLevel::avx512_bf16},
    {"avx512_core_amx", VectorLevel::amx},
};

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view word_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find(' '));
}

bool has_all(const std::set<std::string>& instructions, std::initializer_list<const char*> wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const char* name) { return instructions.contains(name); });
}

}  // namespace

const char* name_of(VectorLevel level) {
  switch (level) {
    case VectorLevel::sse:
      return "SSE";
    case VectorLevel::avx:
      return "AVX";
    case VectorLevel::avx2:
      return "AVX2";
    case VectorLevel::avx512:
      return "AVX-512";
    case VectorLevel::avx512_bf16:
      return "AVX-512 with bf16";
    case VectorLevel::amx:
      return "AVX-512 with AMX";
    case VectorLevel::neon:
      return "NEON";
    case VectorLevel::sve:
      return "SVE";
  }
  return "unknown";
}

std::optional<VectorLevel> level_of_processor(const std::set<std::string>& instructions) {
  if (has_all(instructions, {"avx512f", "avx512dq", "avx512bw", "avx512vl"})) {
    if (has_all(instructions, {"amx_tile", "amx_bf16"})) return VectorLevel::amx;
    return instructions.contains("avx512_bf16") ? VectorLevel::avx512_bf16 : VectorLevel::avx512;
  }
  if (has_all(instructions, {"avx2", "fma"})) return VectorLevel::avx2;
  if (instructions.contains("avx")) return VectorLevel::avx;
  if (instructions.contains("sse2")) return VectorLevel::sse;
  if (instructions.contains("sve")) return VectorLevel::sve;
  if (instructions.contains("asimd")) return VectorLevel::neon;
  return std::nullopt;
}

ChosenKernels chosen_kernels(std::string_view runtime) {
  ChosenKernels out;
  const auto file = runtime.find(" file=");
  if (file != std::string_view::npos) out.file = runtime.substr(file + 6);
  const std::string_view facts = runtime.substr(0, file);
  auto end = std::min(facts.find('='), facts.size());
  if (end < facts.size()) end = std::min(facts.rfind(' ', end), facts.size());
  out.make = facts.substr(0, end);
  for (const std::string_view key : {" core=", " arch=", " isa="})
    if (out.chosen.empty()) out.chosen = word_after(facts, key);
  if (out.chosen == "unknown") out.chosen.clear();
  const std::string name = lower_case(out.chosen);
  for (const Named& known : kKernelSets)
    if (known.name == name) out.level = known.level;
  return out;
}

bool is_narrower(VectorLevel chosen, VectorLevel processor) {
  const auto for_floats = [](VectorLevel level) {
    const bool wide = level >= VectorLevel::avx512 && level < VectorLevel::neon;
    return wide ? VectorLevel::avx512 : level;
  };
  const bool one_family = (chosen < VectorLevel::neon) == (processor < VectorLevel::neon);
  return one_family && for_floats(chosen) < for_floats(processor);
}

std::vector<std::pair<std::string, std::string>> better_settings(const ChosenKernels& library,
                                                                 VectorLevel processor, bool amd) {
  std::vector<std::string> values;
  if (library.make.starts_with("OpenBLAS")) {
    switch (processor) {
      case VectorLevel::amx:
      case VectorLevel::avx512_bf16:
        values = {"Cooperlake", "SkylakeX", "Haswell"};
        break;
      case VectorLevel::avx512:
        values = {"SkylakeX", "Haswell"};
        break;
      case VectorLevel::avx2:
        values = amd ? std::vector<std::string>{"Zen", "Haswell"} : std::vector<std::string>{"Haswell"};
        break;
      case VectorLevel::avx:
        values = {"Sandybridge"};
        break;
      case VectorLevel::sve:
        values = {"ARMV8SVE", "NEOVERSEV1"};
        break;
      default:
        break;
    }
  } else if (library.make.starts_with("BLIS")) {
    // Release 0.9 accepts only the architecture's number, later ones also its name; on x86 the numbers are
    // stable.
    if (processor >= VectorLevel::avx512 && processor < VectorLevel::neon) values = {"0", "skx"};
    if (processor == VectorLevel::avx2) values = {"3", "haswell"};
  }
  std::vector<std::pair<std::string, std::string>> out;
  const char* const variable = library.make.starts_with("BLIS") ? "BLIS_ARCH_TYPE" : "OPENBLAS_CORETYPE";
  for (std::string& value : values) out.emplace_back(variable, std::move(value));
  return out;
}

}  // namespace kernsweep
