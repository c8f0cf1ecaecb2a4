#include "cli/commands/again/repro.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "cli/commands/again/job_by_hand.hpp"
#include "cli/commands/again/stored_point.hpp"
#include "shared/base/file_content.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/gpu_lines.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/home_path.hpp"
#include "shared/text/suggest.hpp"
#include "worker/catalogue.hpp"
#include "worker/host/doctor/linux_files.hpp"
#include "worker/host/fingerprint.hpp"
#include "worker/process/environment.hpp"

namespace kernsweep {
namespace {

Result<std::string> pack_of(const std::string& family, const std::string& variant) {
  KS_ASSIGN_OR_RETURN(const auto catalogue, read_catalogue(pack_folders(), false, family));
  if (const auto pack = pack_with(catalogue, family, variant))
    return std::filesystem::absolute(*pack).string();
  std::vector<std::string> names;
  for (const auto& each : catalogue.families()) names.push_back(each.name());
  std::string broken;
  for (const auto& reason : catalogue.broken()) broken += "; broken pack: " + reason;
  return failure("no pack on this machine has the family '" + family +
                 "'; set KERNSWEEP_PACKS to the folder of the pack that has it" + broken +
                 did_you_mean(family, names));
}

// The cores on which the job was measured, if this machine has them; else the first ones, with a note.
std::vector<std::uint32_t> cores_for(const StoredJob& stored, std::uint64_t cores, const Topology& topology,
                                     std::vector<std::string>& notes) {
  std::vector<std::uint32_t> here;
  for (const HostCore& core : topology.cores) here.push_back(core.cpu);
  const std::vector<std::uint32_t> then = cpu_list_of(stored.affinity);
  const auto is_here = [&](std::uint32_t cpu) {
    return std::find(here.begin(), here.end(), cpu) != here.end();
  };
  if (!then.empty() && std::all_of(then.begin(), then.end(), is_here)) return then;
  if (cores > here.size()) {
    notes.push_back("it needs " + counted(cores, "core", "cores") + ", but this machine has " +
                    counted(here.size(), "core", "cores"));
  } else {
    here.resize(cores);
    notes.push_back(then.empty() ? "the cores that it ran on are not stored: the first ones are used"
                                 : "it ran on the cores " + stored.affinity +
                                       ", which this machine does not have: the first ones are used");
  }
  std::sort(here.begin(), here.end());
  return here;
}

void note_differences(const StoredPoint& point, const Topology& topology, Repro& repro) {
  const auto cores = static_cast<std::uint32_t>(topology.cores.size());
  const std::string here = identify_host(topology, cores).fingerprint.hex();
  if (!repro.stored.fingerprint.empty() && here != repro.stored.fingerprint)
    repro.notes.push_back("this is another host, or it has changed since");
  if (!point.same_key)
    repro.notes.push_back("this version would measure it by other rules than the stored result used");
  if (point.expansion.sweep().kind != KernelKind::family)
    repro.notes.push_back("to be run in the folder where the worker was started");
}

Result<std::string> reason_of(Reader& reader, std::uint64_t result) {
  KS_ASSIGN_OR_RETURN(const auto rows,
                      reader.query("select reason from attempt where result = " + std::to_string(result)));
  const bool none = rows.rows.empty() || rows.rows[0][0].is_null();
  return none ? "" : rows.rows[0][0].to_text();
}

struct StoredSources {
  std::string interpreter;  // the name with which it was found; "": none, or an earlier version stored it
  std::string built;        // hash of the file {build}
  std::vector<std::pair<std::string, std::string>> built_with;  // variables of the build
  std::vector<std::string> changed;  // names of its sources that are other files now
};

Result<StoredSources> sources_of(Reader& reader, std::uint64_t result) {
  KS_ASSIGN_OR_RETURN(
      const auto rows,
      reader.query(
          "select s.sources from software s join attempt a on a.software_id = s.id where a.result = " +
          std::to_string(result)));
  StoredSources found;
  if (rows.rows.empty() || rows.rows[0][0].is_null()) return found;
  FileHashes hashes;
  each_source(rows.rows[0][0].to_text(), [&](const SourceLine& line, std::string_view) {
    if (line.role == "interpreter") found.interpreter = with_home(std::string(line.name));
    if (line.role == "built" && line.name == kBuildPlace) found.built = line.hash;
    if (line.role == "built_with") found.built_with.emplace_back(line.name, line.path);
    if (line.role != "built_from" && line.role != "compiler") return;
    const auto now = hashes.hash_of(with_home(line.path));
    if (!now || now->hex() != line.hash) found.changed.push_back(line.path);
  });
  return found;
}

}  // namespace

Result<Repro> repro_of(Reader& reader, const std::string& which) {
  KS_ASSIGN_OR_RETURN(auto point, stored_point(reader, which));
  KS_ASSIGN_OR_RETURN(auto reason, reason_of(reader, point.job.result));
  KS_ASSIGN_OR_RETURN(const auto topology, read_topology());
  const Expansion::Job now = point.expansion.job_at(point.job.job);
  if (now.position != point.place.position || now.cache != point.place.cache ||
      now.process != point.place.process)
    return failure("job " + std::to_string(point.job.job) + " has changed: the sweep '" +
                   point.job.sweep.record.name + "' was stored by another version");

  Repro repro;
  repro.stored = point.job;
  repro.reason = std::move(reason);
  repro.job = job_by_hand(point.expansion, repro.stored.sweep.id, repro.stored.job);
  KS_ASSIGN_OR_RETURN(auto pack, pack_of(repro.job.family, variant_of(repro.job)));
  repro.job.pack = std::move(pack);
  KS_ASSIGN_OR_RETURN(const auto sources, sources_of(reader, repro.stored.result));
  if (!sources.interpreter.empty())
    repro.job.environment.try_emplace("KERNSWEEP_PYTHON", sources.interpreter);
  for (const auto& [name, value] : sources.built_with) repro.job.environment.try_emplace(name, value);
  repro.job.built = sources.built;
  constexpr std::size_t kChangedTold = 5;
  for (std::size_t i = 0; i < sources.changed.size() && i < kChangedTold; ++i)
    repro.notes.push_back("it was built from another " + sources.changed[i] + " than the one here now");
  repro.label = point.expansion.label_of(point.point);
  repro.line.cores = cores_for(repro.stored, repro.job.cores(), topology, repro.notes);
  repro.line.environment =
      slot_environment(repro.job.environment, repro.job.threads, visible_of_gpus(repro.stored.gpus));
  for (const char* name : {"HOME", "PATH"})
    if (repro.job.environment.count(name) == 0) repro.line.of_shell.emplace_back(name);
  if (!sources.built.empty() && std::getenv("XDG_CACHE_HOME") != nullptr)
    repro.line.of_shell.emplace_back("XDG_CACHE_HOME");  // the folder of the build
  repro.line.program = slot_program();
  repro.line.job = text_of(repro.job);
  note_differences(point, topology, repro);
  return repro;
}

}  // namespace kernsweep
