#include "worker/slot/pack/software.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "shared/base/digest.hpp"
#include "shared/base/installation.hpp"
#include "shared/lists/variable_lines.hpp"
#include "shared/text/utf8.hpp"
#include "worker/slot/pack/build_state.hpp"
#include "worker/slot/pack/pack.hpp"

namespace kernsweep {
namespace {

constexpr std::string_view kPrefixes[] = {"BLIS_", "DNNL_",     "GOMP_",   "GOTO_", "KMP_",
                                          "MKL_",  "OMP_",      "ONEDNN_", "TBB_",  "VECLIB_",
                                          "ZEN_",  "OPENBLAS_", "ATLAS_"};

std::string told_or_empty(const char* text) {
  return text ? as_utf8(text) : std::string();
}

std::string build_id_of(const std::vector<LoadedLibrary>& libraries, const std::string& path) {
  std::error_code error;
  const std::string real = as_utf8(std::filesystem::canonical(path, error).string());
  const auto found = std::ranges::find(libraries, real, &LoadedLibrary::path);
  return found == libraries.end() ? "" : found->build_id;
}

}  // namespace

std::string thread_environment(const char* const* environment) {
  std::set<std::pair<std::string, std::string>> variables;
  for (; environment && *environment; ++environment) {
    const std::string_view line(*environment);
    const std::size_t equals = std::min(line.find('='), line.size());
    if (std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return line.starts_with(prefix); }))
      variables.emplace(as_utf8(line.substr(0, equals)),
                        as_utf8(line.substr(std::min(equals + 1, line.size()))));
  }
  std::string lines;
  for (const auto& [name, value] : variables) append_variable(lines, name, value);
  return lines;
}

SoftwareWatch::SoftwareWatch(const Pack& pack, const std::string& path, FileHashes& hashes)
    : pack_path_(path), hashes_(hashes) {
  // The worker has sent these hashes.
  for (const auto& [stamp, hash] : hashes.remembered()) told_contents_.insert(stamp);
  const ks_pack& about = pack.description();
  software_.set_version(version_text());
  software_.set_git(kBuildGit);
  software_.set_compiler(kBuildCompiler);
  software_.set_flags(kBuildFlags);
  software_.set_pack(told_or_empty(about.name));
  software_.set_pack_version(told_or_empty(about.version));
  software_.set_pack_build(told_or_empty(about.build));
}

bool SoftwareWatch::look(const std::string& sources, int process) {
  const std::uint64_t changes = loader_changes();
  const bool same_libraries = looked_ && process == 0 && changes == seen_changes_;
  if (same_libraries && sources == software_.sources()) return false;
  software_.clear_identity();
  software_.clear_contents();
  if (!same_libraries) {
    const auto libraries =
        process == 0 ? loaded_libraries(hashes_) : libraries_of_process(process, hashes_);
    software_.set_libraries(text_of(libraries));
    software_.set_pack_build_id(build_id_of(libraries, pack_path_));
    software_.set_thread_environment(thread_environment(environ));
  }
  looked_ = true;
  seen_changes_ = changes;
  software_.set_sources(sources);
  software_.set_identity(std::string(digest_of(software_.SerializeAsString()).view()));
  constexpr std::size_t kRememberedMax = 100'000;  // repeated descriptions do no harm
  if (told_.size() >= kRememberedMax) told_.clear();
  if (!told_.insert(software_.identity()).second) return false;
  for (const auto& [stamp, hash] : hashes_.remembered()) {
    if (!told_contents_.insert(stamp).second) continue;
    wire::FileContent& content = *software_.add_contents();
    content.set_file(stamp.bytes());
    content.set_hash(std::string(hash.view()));
  }
  return true;
}

}  // namespace kernsweep
