#include <fmt/format.h>

#include <algorithm>

#include "worker/host/doctor/checks.hpp"
#include "worker/host/doctor/library_fit.hpp"

namespace kernsweep {
namespace {

std::string names_of(const LibraryConditions& library) {
  std::string text = library.name;
  for (const std::string& name : library.also) text += ", " + name;
  return text;
}

// The first of the tried settings that gave wider vectors; null if none did.
const LibraryConditions::Tried* what_helps(const LibraryConditions& library, VectorLevel chosen) {
  for (const auto& tried : library.tried) {
    const auto level = chosen_kernels(tried.runtime).level;
    if (level && is_narrower(chosen, *level)) return &tried;
  }
  return nullptr;
}

// AMD's first processors with AVX-512 (Zen 4) compute floats no faster with AVX-512 than with AVX2, so
// there AVX2 is only a note. See docs/reference/doctor.md for figures.
Verdict verdict_of(VectorLevel chosen, VectorLevel processor, bool amd) {
  if (!is_narrower(chosen, processor)) return Verdict::good;
  return amd && chosen == VectorLevel::avx2 ? Verdict::note : Verdict::bad;
}

void judge_choice(const LibraryConditions& library, const ChosenKernels& kernels, VectorLevel processor,
                  bool amd, Assessment& out) {
  out.verdict = verdict_of(*kernels.level, processor, amd);
  out.values["vectors"] = name_of(*kernels.level);
  if (out.verdict == Verdict::good) return;
  out.found += fmt::format(": {} on a processor with {}", name_of(*kernels.level), name_of(processor));
  if (const auto* helps = what_helps(library, *kernels.level)) {
    const std::string then = chosen_kernels(helps->runtime).chosen;
    const std::string axis = fmt::format("{{env.{}: [null, \"{}\"]}}", helps->variable, helps->value);
    out.remedy = out.verdict == Verdict::bad
                     ? fmt::format("set {}={} (tried: it then takes {}); in a sweep, axes: {}",
                                   helps->variable, helps->value, then, axis)
                     : fmt::format("measure in a sweep whether {} is faster, axes: {}", then, axis);
    out.values["set"] = helps->variable + "=" + helps->value;
    out.values["then"] = then;
  } else if (out.verdict == Verdict::bad) {
    out.remedy = "install a newer release; no setting that was tried makes this one choose better";
  }
}

Assessment one_library(const HostConditions& host, const LibraryConditions& library) {
  Assessment out;
  const ChosenKernels kernels = chosen_kernels(library.runtime);
  out.values = {{"name", library.name},     {"names", names_of(library)}, {"runtime", library.runtime},
                {"reason", library.reason}, {"make", kernels.make},       {"chosen", kernels.chosen},
                {"file", kernels.file}};
  if (library.runtime.empty()) {
    out.verdict = Verdict::note;
    const bool died = library.reason.find("killed by") != std::string::npos;
    if (died) out.verdict = Verdict::warning;
    out.found = fmt::format("{}: {}", names_of(library), library.reason);
    if (died) out.remedy = "do not name it in a sweep; reinstall it, or report this to its maker";
    return out;
  }
  out.found = fmt::format("{}: {}", names_of(library), kernels.make);
  if (!kernels.chosen.empty()) out.found += ", kernels for " + kernels.chosen;
  const auto processor = level_of_processor(host.instructions);
  const bool amd = host.cpu_vendor == "AuthenticAMD";
  if (kernels.level && processor) {
    judge_choice(library, kernels, *processor, amd, out);
  } else {
    out.verdict = Verdict::note;
    if (kernels.chosen.empty()) out.found += "; it does not report which kernels it has chosen";
    out.remedy = "compare it with the others: kernsweep run sweeps/first_look.yaml";
  }
  return out;
}

std::vector<Assessment> cblas(const HostConditions& host) {
  std::vector<Assessment> out;
  for (const LibraryConditions& library : host.blas) out.push_back(one_library(host, library));
  if (out.empty())
    out.push_back({Verdict::warning,
                   "no CBLAS library on this host",
                   "sudo apt-get install libopenblas0-pthread",
                   {}});
  return out;
}

std::vector<Assessment> onednn(const HostConditions& host) {
  if (!host.onednn) return {{Verdict::note, "not asked: no pack of matrix products here", "", {}}};
  const ChosenKernels kernels = chosen_kernels(host.onednn->runtime);
  Assessment out;
  out.values = {{"runtime", host.onednn->runtime},
                {"reason", host.onednn->reason},
                {"make", kernels.make},
                {"isa", kernels.chosen}};
  if (host.onednn->runtime.empty()) {
    out.verdict = Verdict::note;
    out.found = host.onednn->reason;
    return {out};
  }
  out.found = fmt::format("{}, instructions {}", kernels.make, kernels.chosen);
  const auto processor = level_of_processor(host.instructions);
  if (!kernels.level || !processor) {
    out.verdict = Verdict::note;
  } else if (is_narrower(*kernels.level, *processor)) {
    out.verdict = Verdict::bad;
    out.found += fmt::format(" on a processor with {}", name_of(*processor));
    out.remedy = "leave ONEDNN_MAX_CPU_ISA unset, or install a newer release";
  } else if (*kernels.level < *processor) {
    out.verdict = Verdict::note;  // the processor's 16-bit and tile instructions are not used
    out.found += fmt::format(" on a processor with {}", name_of(*processor));
    out.remedy = "install a newer release for bf16 and int8";
  }
  return {out};
}

const Check kLibraryChecks[] = {
    {"library.blas", "libraries",
     "A BLAS that does not know the processor silently computes with kernels for an old one, at a fraction "
     "of the speed.",
     &cblas},
    {"library.onednn", "libraries",
     "oneDNN compiles its kernels for the instructions that it detects.", &onednn},
};

}  // namespace

std::span<const Check> library_checks() {
  return kLibraryChecks;
}

}  // namespace kernsweep
