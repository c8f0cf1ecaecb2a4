#include "worker/process/limits.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "shared/text/source_call.hpp"
#include "shared/text/suggest.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {
namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::optional<double> unit_named(const std::string& unit) {
  static const std::map<std::string, double> units = {
      {"", 1},      {"B", 1},        {"kB", 1e3},     {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
  };
  const auto found = units.find(unit);
  return found == units.end() ? std::nullopt : std::optional(found->second);
}

bool is_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// With these variables the loader, the C library or an interpreter loads code or files from a path that the
// sender chooses.
bool brings_code(const std::string& variable) {
  static const std::vector<std::string> beginnings = {
      "LD_",           "PYTHON",   "GCONV_",         "GLIBC_",         "OCL_",
      "OPENSSL_",      "OMP_TOOL", "CUDA_INJECTION", "NVTX_INJECTION", "CUDA_COREDUMP",
      "CUDA_LOG_FILE", "CUDA_MPS", "CUBLAS_LOG",     "CUBLASLT_LOG",   "CUDNN_LOG"};
  static const std::vector<std::string> names = {"BASH_ENV", "CUDA_CACHE_PATH", "ENV",  "HOME",
                                                 "LOCPATH",  "NLSPATH",         "PATH", "TMPDIR"};
  return std::find(names.begin(), names.end(), variable) != names.end() ||
         std::any_of(beginnings.begin(), beginnings.end(),
                     [&variable](const std::string& each) { return variable.starts_with(each); });
}

}  // namespace

Result<std::uint64_t> memory_of(const std::string& text, std::uint64_t machine_bytes) {
  const auto refuse = [&text](const std::string& why) {
    return failure("--memory " + text + ": " + why + "; write bytes, 8GiB, 500MB or 50%");
  };
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number <= 0)
    return refuse("that is not an amount of memory");
  std::string unit(rest, text.data() + text.size());
  unit.erase(0,
             unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  double bytes = 0;
  if (unit == "%") {
    if (number > 100) return refuse("that is more than all of it");
    if (machine_bytes == 0)
      return failure("--memory " + text +
                     ": this machine does not report its memory; write an amount, such as 8GiB or 500MB");
    bytes = static_cast<double>(machine_bytes) / 100 * number;
  } else if (const auto factor = unit_named(unit)) {
    bytes = number * *factor;
  } else {
    return refuse("'" + unit + "' is not a unit");
  }
  if (machine_bytes > 0 && bytes > static_cast<double>(machine_bytes))
    return refuse("this machine has " + std::to_string(machine_bytes) + " bytes");
  constexpr double kLeast = 0x1p26, kMost = 0x1p62;
  if (bytes < kLeast) return failure("--memory " + text + " is less than the 64 MiB that one slot needs");
  if (bytes > kMost) return failure("--memory " + text + " is larger than any machine's memory");
  return static_cast<std::uint64_t>(bytes);
}

Status add_tags(const std::vector<std::string>& tags, Facts& facts) {
  const Facts built_in = facts;
  for (const std::string& tag : tags) {
    const auto equals = tag.find('=');
    const std::string name = tag.substr(0, equals);
    if (equals == std::string::npos || !is_name(name)) {
      return failure("--tag " + tag +
                     ": write name=value, such as --tag rack=7; a name has letters, digits and _");
    }
    if (built_in.count(name) > 0) {
      std::vector<std::string> names;
      for (const auto& [each, value] : built_in) names.push_back(each);
      return failure("--tag " + tag + ": every host reports its own '" + name +
                     "'; choose another name than " + listed(names));
    }
    if (!facts.emplace(name, value_of_scalar(tag.substr(equals + 1))).second)
      return failure("--tag " + tag + ": '" + name + "' was given twice; give each name once");
  }
  return Done{};
}

const std::vector<std::string>& kernel_kinds() {
  static const std::vector<std::string> kinds = {"packs", "command", "python", "build"};
  return kinds;
}

Result<std::vector<std::string>> allowed_kinds(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const auto& kinds = kernel_kinds();
    if (std::find(kinds.begin(), kinds.end(), word) == kinds.end()) {
      const auto near = nearest(word, kinds);
      return failure("--allow " + text + ": '" + word + "' is not a kind of kernel; " +
                     (near ? "did you mean '" + *near + "'? Write" : "write") + " some of " +
                     listed(kinds) + ", with commas between them");
    }
    words.push_back(word);
    begin = end + 1;
  }
  std::vector<std::string> allowed;
  for (const std::string& kind : kernel_kinds()) {
    if (std::find(words.begin(), words.end(), kind) != words.end()) allowed.push_back(kind);
  }
  return allowed;
}

namespace {

std::string whose_list(const std::vector<std::string>& allowed) {
  std::string text;
  for (const std::string& each : allowed) text += (text.empty() ? "" : ",") + each;
  return "this worker was started with --allow " + text;
}

}  // namespace

std::optional<std::string> forbidden(const std::vector<std::string>& allowed, const VerifyRules& verify) {
  const ReferenceKind kind = verify.reference.kind;
  const bool is_program = kind == ReferenceKind::command || kind == ReferenceKind::python;
  const std::string name(name_of(kind));
  if (allowed.empty() || !verify.enabled || !is_program ||
      std::find(allowed.begin(), allowed.end(), name) != allowed.end())
    return std::nullopt;
  return whose_list(allowed) + " and verifies by no " + name + " (verify.reference)";
}

std::optional<std::string> forbidden_build(const std::vector<std::string>& allowed) {
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), "build") != allowed.end())
    return std::nullopt;
  return whose_list(allowed) + " and builds nothing; add 'build' to the list there";
}

std::optional<std::string> forbidden(const std::vector<std::string>& allowed, const wire::SlotKey& key) {
  if (allowed.empty()) return std::nullopt;
  const auto allows = [&allowed](const std::string& kind) {
    return std::find(allowed.begin(), allowed.end(), kind) != allowed.end();
  };
  // A source is code of the sweep, as a command is; its build needs `build`, too.
  const bool special = key.family() == "command" || key.family() == "python";
  const std::string kind = special ? key.family() : is_source_family(key.family()) ? "command" : "packs";
  const std::string whose = whose_list(allowed);
  if (!allows(kind)) return whose + " and runs no kernels of the kind '" + kind + "'";
  if (allows("command")) return std::nullopt;  // any program may be run then
  for (const auto& [name, value] : key.environment()) {
    if (brings_code(name)) {
      return whose + " and takes no environment variable " + name +
             ", because it could bring in a program; that needs 'command' in the list";
    }
  }
  return std::nullopt;
}

}  // namespace kernsweep
