// The command `repro`: prints the shell line that measures one stored job by hand.
#include <cmath>
#include <cstdio>

#include "cli/commands/again/repro.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/text/units.hpp"
#include "shared/wire/json_tree.hpp"

namespace kernsweep {
namespace {

// "<status>: <reason>" or "ok, median 1.23 ms, output 0123...".
std::string what_came_of(const Repro& repro) {
  const StoredJob& stored = repro.stored;
  if (!stored.measured()) return stored.status + (repro.reason.empty() ? "" : ": " + repro.reason);
  std::string out = "ok, median " + text_of_seconds(stored.median_s);
  if (!stored.output_hash.empty()) out += ", output " + stored.output_hash;
  return out;
}

std::string text_of_repro(const Repro& repro) {
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
    const std::string answer = json_ ? text_of(tree_of(*repro), 2) + "\n" : text_of_repro(*repro);
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
