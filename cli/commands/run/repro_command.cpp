// The command `repro`: prints the shell line that measures one stored job by hand.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "cli/commands/run/job_by_hand.hpp"
#include "cli/commands/run/stored_point.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "cli/show/repro_line.hpp"
#include "results/text/units.hpp"
#include "shared/base/home_path.hpp"
#include "shared/base/installation.hpp"
#include "shared/lists/gpu_lines.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/suggest.hpp"
#include "shared/wire/json_tree.hpp"
#include "shared/wire/single_job.hpp"
#include "worker/catalogue.hpp"
#include "worker/host/doctor/linux_files.hpp"
#include "worker/host/fingerprint.hpp"
#include "worker/process/environment.hpp"

namespace kernsweep {
namespace {

Result<std::string> pack_of(const std::string& family, const std::string& variant) {
  const auto catalogue = read_catalogue(pack_folders(), false);
  if (!catalogue) return tl::unexpected(catalogue.error());
  if (const auto pack = pack_with(*catalogue, family, variant))
    return std::filesystem::absolute(*pack).string();
  std::vector<std::string> names;
  for (const auto& each : catalogue->families()) names.push_back(each.name());
  std::string broken;
  for (const auto& reason : catalogue->broken()) broken += "; broken pack: " + reason;
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
    notes.push_back(then.empty() ? "on which cores it ran is not stored: the first ones are taken"
                                 : "it ran on the cores " + stored.affinity +
                                       ", which this machine does not have: the first ones are taken");
  }
  std::sort(here.begin(), here.end());
  return here;
}

struct Repro {
  ReproLine line;
  SingleJob job;
  StoredJob stored;
  std::string label, reason;
  std::vector<std::string> notes;
};

void note_differences(const StoredPoint& point, const Topology& topology, Repro& repro) {
  const auto cores = static_cast<std::uint32_t>(topology.cores.size());
  const std::string here = identify_host(topology, cores).fingerprint.hex();
  if (!repro.stored.fingerprint.empty() && here != repro.stored.fingerprint)
    repro.notes.push_back("this is another host, or it has changed since");
  if (!point.same_key)
    repro.notes.push_back("this version would measure it by other rules than were used then");
  if (point.expansion.sweep().kind != KernelKind::family)
    repro.notes.push_back("to be run in the folder where the worker was started");
}

Result<std::string> reason_of(Reader& reader, std::uint64_t result) {
  const auto rows = reader.query("select reason from attempt where result = " + std::to_string(result));
  if (!rows) return tl::unexpected(rows.error());
  const bool none = rows->rows.empty() || rows->rows[0][0].is_null();
  return none ? "" : rows->rows[0][0].to_text();
}

// The Python that measured the result, by the name under which it was found; "": none, or an earlier
// version stored it.
Result<std::string> interpreter_of(Reader& reader, std::uint64_t result) {
  const auto rows = reader.query(
      "select s.sources from software s join attempt a on a.software_id = s.id where a.result = " +
      std::to_string(result));
  if (!rows) return tl::unexpected(rows.error());
  std::string found;
  if (rows->rows.empty() || rows->rows[0][0].is_null()) return found;
  each_source(rows->rows[0][0].to_text(), [&](const SourceLine& line, std::string_view) {
    if (line.role == "interpreter") found = with_home(std::string(line.name));
  });
  return found;
}

Result<Repro> repro_of(Reader& reader, const std::string& which) {
  auto point = stored_point(reader, which);
  if (!point) return tl::unexpected(point.error());
  auto reason = reason_of(reader, point->job.result);
  if (!reason) return tl::unexpected(reason.error());
  const auto topology = read_topology();
  if (!topology) return tl::unexpected(topology.error());
  const Expansion::Job now = point->expansion.job_at(point->job.job);
  if (now.position != point->place.position || now.cache != point->place.cache ||
      now.process != point->place.process)
    return failure("job " + std::to_string(point->job.job) + " is another one now: the sweep '" +
                   point->job.sweep.record.name + "' was stored by another version");

  Repro repro;
  repro.stored = point->job;
  repro.reason = std::move(*reason);
  repro.job = job_by_hand(point->expansion, repro.stored.sweep.id, repro.stored.job);
  auto pack = pack_of(repro.job.family, variant_of(repro.job));
  if (!pack) return tl::unexpected(pack.error());
  repro.job.pack = std::move(*pack);
  auto interpreter = interpreter_of(reader, repro.stored.result);
  if (!interpreter) return tl::unexpected(interpreter.error());
  if (!interpreter->empty()) repro.job.environment.try_emplace("KERNSWEEP_PYTHON", *interpreter);
  repro.label = point->expansion.label_of(point->point);
  repro.line.cores = cores_for(repro.stored, repro.job.cores(), *topology, repro.notes);
  repro.line.environment =
      slot_environment(repro.job.environment, repro.job.threads, visible_of_gpus(repro.stored.gpus));
  for (const char* name : {"HOME", "PATH"})
    if (repro.job.environment.count(name) == 0) repro.line.of_shell.emplace_back(name);
  repro.line.program = slot_program();
  repro.line.job = text_of(repro.job);
  note_differences(*point, *topology, repro);
  return repro;
}

// "<status>: <reason>" or "ok, median 1.23 ms, output 0123...".
std::string what_came_of(const Repro& repro) {
  const StoredJob& stored = repro.stored;
  if (!stored.measured()) return stored.status + (repro.reason.empty() ? "" : ": " + repro.reason);
  std::string out = "ok, median " + text_of_seconds(stored.median_s);
  if (!stored.output_hash.empty()) out += ", output " + stored.output_hash;
  return out;
}

std::string text_of(const Repro& repro) {
  const StoredJob& stored = repro.stored;
  std::string out = shell_comment("result " + std::to_string(stored.result) + ": sweep " +
                                  stored.sweep.record.name + ", job " + std::to_string(stored.job) +
                                  (repro.label.empty() ? "" : ": " + repro.label));
  out += shell_comment("it was " + text_of_moment(stored.finished_unix_s) +
                       (stored.host.empty() ? "" : " on " + stored.host + " (" + stored.cpu + ")"));
  out += shell_comment(what_came_of(repro));
  for (const std::string& note : repro.notes) out += shell_comment(note);
  out += shell_comment("under a debugger: write gdb --args before the path of kernsweep-slot");
  return out + shell_line(repro.line) + "\n";
}

JsonTree tree_of(const Repro& repro) {
  const StoredJob& stored = repro.stored;
  JsonTree then = JsonTree::object();
  then.add("result", JsonTree::natural(stored.result));
  then.add("sweep", Value(stored.sweep.record.name));
  then.add("sweep_id", JsonTree::natural(stored.sweep.id.value));
  then.add("job", JsonTree::natural(stored.job));
  then.add("point", JsonTree::natural(stored.point));
  then.add("status", Value(stored.status));
  if (!repro.reason.empty()) then.add("reason", Value(repro.reason));
  if (stored.measured() && std::isfinite(stored.median_s)) then.add("median_s", Value(stored.median_s));
  if (!stored.output_hash.empty()) then.add("output_hash", Value(stored.output_hash));
  if (!stored.affinity.empty()) then.add("affinity", Value(stored.affinity));
  if (!stored.host.empty()) then.add("host", Value(stored.host));
  then.add("finished_unix_s", Value(stored.finished_unix_s));

  JsonTree out = JsonTree::object();
  out.add("command", Value(shell_line(repro.line)));
  JsonTree& environment = out.add("environment", JsonTree::object());
  for (const std::string& line : repro.line.environment)
    environment.add(line.substr(0, line.find('=')), Value(line.substr(line.find('=') + 1)));
  JsonTree& cores = out.add("cores", JsonTree::list());
  for (const std::uint32_t core : repro.line.cores) cores.add(JsonTree::natural(core));
  out.add("job", kernsweep::tree_of(repro.job));
  out.add("stored", std::move(then));
  JsonTree& notes = out.add("notes", JsonTree::list());
  for (const std::string& note : repro.notes) notes.add(Value(note));
  return out;
}

class ReproCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_result(to, result_);
    add_json(to, json_);
  }

  int run(const Invocation&) override {
    auto reader = Reader::open(database_);
    if (!reader) return report_error(reader.error().message);
    const auto repro = repro_of(*reader, result_);
    if (!repro) return report_error(repro.error().message);
    const std::string answer = json_ ? text_of(tree_of(*repro), 2) + "\n" : text_of(*repro);
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    return 0;
  }

 private:
  std::string database_, result_;
  bool json_ = false;
};

}  // namespace

CommandEntry repro_command() {
  return {"repro", "Print the shell line that measures one stored result by hand",
          "docs/reference/replay.md has the rules.\n"
          "Exit status: 0 printed, 2 bad input or usage; nothing is measured.",
          std::make_unique<ReproCommand>()};
}

}  // namespace kernsweep
