#include "worker/slot/job/sources.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "shared/lists/launched_program.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/lists/started_files.hpp"
#include "shared/text/home_path.hpp"
#include "shared/text/utf8.hpp"
#include "worker/host/programs.hpp"
#include "worker/slot/pack/loaded_libraries.hpp"
#include "worker/slot/pack/pack.hpp"
#include "worker/slot/python/interpreter.hpp"

namespace kernsweep {
namespace {

namespace files = std::filesystem;

constexpr std::array<std::string_view, 6> kRolesOfPacks = {"input",   "module",  "package",
                                                           "program", "started", "word"};
// Variables that decide which program, library or module is found by a name.
constexpr std::array<std::string_view, 8> kVariables = {
    "CONDA_PREFIX", "KERNSWEEP_PYTHON", "LD_LIBRARY_PATH", "LD_PRELOAD",
    "PATH",         "PYTHONHOME",       "PYTHONPATH",      "VIRTUAL_ENV"};

// The beginning of a name: "what `make` runs".
constexpr std::string_view kWhatRuns = "what `";

bool is_loaded_for_good(std::string_view role) {
  return role == "module" || role == "package" || role == "library" || role == "pack" ||
         role.starts_with("interpreter");
}

std::string joined(const std::set<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

// An absolute path. Links are resolved only if the path contains "..".
std::string whole_path(const std::string& path) {
  std::error_code error;
  const files::path whole = files::absolute(path, error);
  if (std::ranges::find(whole, files::path("..")) != whole.end()) {
    const auto real = files::weakly_canonical(whole, error);
    if (!error) return real.string();
  }
  return whole.lexically_normal().string();
}

// The real path of a loaded library; empty if none is loaded by that name.
std::string file_of_library(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return "";
  link_map* object = nullptr;
  std::string path;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &object) == 0 && object && object->l_name) path = object->l_name;
  dlclose(handle);
  std::error_code error;
  const auto real = files::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

Sources::Sources(const Pack& pack, const std::vector<std::pair<std::string, std::string>>& environment,
                 FileHashes& hashes)
    : hashes_(hashes) {
  std::error_code error;
  folder_ = files::current_path(error).string();
  if (!folder_.ends_with('/')) folder_ += '/';
  const auto content = hashes_.content_of(pack.path());
  loaded_[pack.path()] = {pack.stamp(), content ? std::optional(*content) : std::nullopt};
  constant_.insert(line_of({"pack", pack.description().name ? pack.description().name : "", pack.path(),
                            loaded_[pack.path()].content}));
  if (needs_interpreter(pack.path()))
    for (const auto& [role, name, path] : interpreter_files())
      constant_.insert(line_of({role, name, path, loaded(path).content}));
  for (const auto& [name, value] : environment) {
    if (std::ranges::find(kVariables, name) != kVariables.end())
      constant_.insert(text_of({"variable", name, as_utf8(value), 0, ""}));
  }
  constant_text_ = joined(constant_);
}

void Sources::begin_job() {
  if (!entries_.empty()) entries_.clear();
  built_.clear();
}

void Sources::report(std::string_view role, std::string_view name, std::string_view path) {
  if (role == "unknown") note_unknown(name);
  if (std::ranges::find(kRolesOfPacks, role) == kRolesOfPacks.end()) return;
  const bool is_built = (role == "program" || role == "word") && built_.contains(std::string(path));
  if (!is_built) (void)note(role, name, path);
}

void Sources::note_built(std::string_view name, const std::string& path, const std::string& command,
                         std::string_view made_of) {
  if (!built_.insert(path).second) return;
  (void)note("built", name, path);
  if (const auto content = hashes_.content_of(path); content && !is_full())
    entries_.insert({"build", as_utf8(command), "", *content});
  each_source(made_of, [this](const SourceLine& line, std::string_view) {
    Entry entry{line.role, line.name, with_home(line.path), std::nullopt};
    if (const auto hash = digest_from_hex(line.hash))
      entry.content = FileHashes::Content{*hash, line.bytes};
    if (!is_full()) entries_.insert(std::move(entry));
  });
}

Status Sources::note(std::string_view role, std::string_view name, std::string_view path) {
  Entry entry{std::string(role), std::string(name), std::string(path), std::nullopt};
  if (entries_.contains(entry) || is_full()) return Done{};
  Status read = Done{};
  if (entry.path.empty()) {
    read = failure("there is no such file");
  } else if (is_loaded_for_good(role) || (role == "linked" && is_of_system(path))) {
    entry.content = loaded(entry.path).content;
  } else if (const auto content = hashes_.content_of(entry.path)) {
    entry.content = *content;
  } else {
    read = tl::unexpected(content.error());
  }
  const auto noted = entries_.insert(std::move(entry)).first;
  if (noted->content && may_run(role)) note_linked(*noted);
  return read;
}

// Once for each program and content, so that a job costs only a check of the files.
void Sources::note_linked(const Entry& program) {
  const std::string launched = program.role == "started" ? program.name : "";
  if (linked_.size() >= kFilesMax) linked_.clear();
  const auto [found, fresh] = linked_.try_emplace({launched, program.path, program.content->hash});
  if (fresh) {
    std::vector<std::string> environment;
    for (const char* const* line = environ; line && *line; ++line) environment.emplace_back(*line);
    if (launched.empty()) {
      found->second = linked_files(program.path, environment);
    } else {
      const Launched by = launched_of_name(launched, std::move(environment));
      found->second = linked_files(program.path, by.environment, by.folder);
    }
  }
  for (const LinkedFile& file : found->second) {
    if (file.path.empty()) {
      (void)note("closed", file.name + " (not found for " + program.name + ")", "");
    } else {
      (void)note("linked", file.name, file.path);
    }
  }
}

void Sources::note_closed_library() {
  (void)note("closed", "a library that was opened and closed again", "");
}

void Sources::note_unknown(std::string_view what) {
  if (std::ranges::find(entries_, "depends", &Entry::role) != entries_.end()) return;
  (void)note("closed", std::string(kWhatRuns) + std::string(what) + "` runs", "");
}

std::string Sources::text_of_unknown() const {
  std::vector<std::string> all;
  for (const Entry& entry : entries_)
    if (entry.role == "closed" && entry.name.starts_with(kWhatRuns))
      all.push_back(entry.name.substr(kWhatRuns.size(), entry.name.rfind('`') - kWhatRuns.size()));
  return kernsweep::text_of_unknown(all);
}

void Sources::note_library(const std::string& name) {
  if (const std::uint64_t changes = loader_changes(); changes != libraries_at_) {
    libraries_.clear();
    libraries_at_ = changes;
  }
  const auto [found, fresh] = libraries_.try_emplace(name);
  if (fresh) found->second = file_of_library(name);
  if (!found->second.empty()) (void)note("library", name, found->second);
}

Sources::Loaded& Sources::loaded(const std::string& path) {
  const auto [found, fresh] = loaded_.try_emplace(path);
  if (fresh) {
    found->second.stamp = file_stamp_at(path);
    if (const auto content = hashes_.content_of(path)) found->second.content = *content;
  }
  return found->second;
}

std::string Sources::line_of(const Entry& entry) const {
  SourceLine line{as_utf8(entry.role), as_utf8(entry.name), "", 0, ""};
  if (!entry.path.empty()) {
    const std::string whole = whole_path(entry.path);
    const bool is_below = whole.starts_with(folder_) && folder_ != "/";
    line.path = as_utf8(is_below ? "./" + whole.substr(folder_.size()) : without_home(whole));
  }
  if (entry.content) {
    line.bytes = entry.content->bytes;
    line.hash = entry.content->hash.hex();
  }
  return text_of(line);
}

const std::string& Sources::lines() {
  if (entries_.empty()) return constant_text_;
  const auto is_same = [](const Entry& a, const Entry& b) {
    return a.role == b.role && a.name == b.name && a.path == b.path && a.content == b.content &&
           a.path.find("..") == std::string::npos;  // a link may lead to another file
  };
  if (std::ranges::equal(entries_, told_, is_same)) return text_;
  told_.assign(entries_.begin(), entries_.end());
  std::set<std::string> all = constant_;
  for (const Entry& entry : entries_) all.insert(line_of(entry));
  return text_ = joined(all);
}

std::vector<std::string> Sources::changed() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    const bool has_file = entry.role != "library" && entry.role != "package" && entry.role != "build";
    if (!has_file || !entry.content) continue;
    if (entry.role == "built_from" || entry.role == "compiler") continue;  // it is already built
    if (hashes_.remembers(entry.path, entry.content->hash)) continue;
    const auto now = hashes_.content_of(entry.path);
    if (!now || now->hash != entry.content->hash) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// A deleted file does not count as replaced: its loaded content is unchanged.
bool Sources::is_stale() const {
  return std::ranges::any_of(loaded_, [](const auto& each) {
    const auto now = file_stamp_at(each.first);
    return now && each.second.stamp && *now != *each.second.stamp;
  });
}

}  // namespace kernsweep
