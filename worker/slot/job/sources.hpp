// The files that the current job runs and reads, by content: the lines of wire::Software.sources.
//
// There are two kinds of files. Files that stay loaded in this process (its pack, libraries, Python's
// modules) keep the content that they had when they were first seen, even if the file is replaced later,
// which is_stale() reports. All other files are read for each job before it is measured, and again
// afterwards.
//
// For a job that reports no files this costs one comparison, because its lines are those of the process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "shared/base/file_content.hpp"
#include "shared/base/result.hpp"
#include "worker/host/linked_files.hpp"

namespace kernsweep {

class Pack;

class Sources {
 public:
  static constexpr std::size_t kFilesMax = 10'000;  // of one job

  // `environment`: the variables that the sweep sets. `hashes` must outlive this.
  Sources(const Pack& pack, const std::vector<std::pair<std::string, std::string>>& environment,
          FileHashes& hashes);

  // Drops the files of the previous job.
  void begin_job();
  // A file that a pack has reported with ks_context::report_source, or with the role "unknown" what is no
  // known file; roles that a pack may not use are ignored.
  void report(std::string_view role, std::string_view name, std::string_view path);
  // A file that the job itself names. Error: it cannot be read; it is recorded anyway.
  Status note(std::string_view role, std::string_view name, std::string_view path);
  // A file that the host has built for the job by a command, and the lines with its inputs. `name`:
  // kBuildPlace, or "reference". From now on reports of this path are ignored.
  void note_built(std::string_view name, const std::string& path, const std::string& command,
                  std::string_view made_of);
  // Records the library that a pack has opened with dlopen(`name`); nothing if none is loaded by that name.
  void note_library(const std::string& name);

  // Records that a library was loaded in the measured calls and was closed again, so that its content is
  // not known.
  void note_closed_library();

  // Records that the job runs something whose file is not known: its result is never reused. Nothing if the
  // sweep lists files under `depends`.
  void note_unknown(std::string_view what);
  // A note about these; "": there is none.
  std::string text_of_unknown() const;

  // Valid until the next call.
  const std::string& lines();
  // Names of the job's files whose content has changed since lines(), without libraries and the pack.
  std::vector<std::string> changed() const;
  bool is_full() const { return entries_.size() >= kFilesMax; }
  bool is_stale() const;

 private:
  struct Loaded {
    std::optional<FileStamp> stamp;
    std::optional<FileHashes::Content> content;
  };
  struct Entry {
    std::string role, name, path;
    std::optional<FileHashes::Content> content;
    friend bool operator<(const Entry& a, const Entry& b) {
      return std::tie(a.role, a.name, a.path) < std::tie(b.role, b.name, b.path);
    }
  };
  Loaded& loaded(const std::string& path);
  void note_linked(const Entry& program);
  std::string line_of(const Entry& entry) const;

  FileHashes& hashes_;
  std::string folder_;                    // the working directory, ending with a slash
  std::map<std::string, Loaded> loaded_;  // by path; files that stay loaded in this process
  std::set<std::string> constant_;        // lines that are equal for every job of this process
  std::string constant_text_;
  std::set<Entry> entries_;      // files of the current job
  std::set<std::string> built_;  // paths, of the current job
  std::vector<Entry> told_;      // the entries in text_
  std::string text_;
  std::map<std::string, std::string> libraries_;  // path by name; empty: not loaded
  std::uint64_t libraries_at_ = 0;                // loader_changes() when libraries_ was filled
  // By the file that starts a program (role "started"), its path, its content.
  std::map<std::tuple<std::string, std::string, Digest>, std::vector<LinkedFile>> linked_;
};

}  // namespace kernsweep
