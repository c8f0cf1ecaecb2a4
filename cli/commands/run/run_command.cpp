// The command `run`: runs a sweep of a file or of the command line on this machine, and prints its
// findings.
#include "cli/commands/run/model_file.hpp"
#include "cli/commands/run/program_question.hpp"
#include "cli/commands/run/reference_files.hpp"
#include "cli/commands/run/sweep_summary.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/grammar/sweep_source.hpp"
#include "cli/show/output.hpp"

namespace kernsweep {
namespace {

class RunCommand : public Command {
 public:
  void declare(Options& to) override {
    add_sweep_source(to, source_);
    add_new_database(to, database_);
    add_again(to, again_);
    add_quiet(to, quiet_);
    add_json(to, json_);
    add_worker_memory(to, memory_);
    add_patience(to, patience_);
  }

  int run(const Invocation& given) override {
    auto expansion = read_sweep(source_);
    if (!expansion) return report_error(expansion.error().message);
    auto task = task_of(std::move(*expansion), source_.replacements, database_);
    if (!task) return report_error(task.error().message);
    if (task->expansion) {
      const Status found = find_reference_files(*task->expansion);
      if (!found) return report_error(found.error().message);
      const Status programs = find_programs(*task->expansion);
      if (!programs) return report_error(programs.error().message);
      auto rest = without_hopeless_models(*task->expansion, task->replacements);
      if (!rest) return report_error(rest.error().message + "; nothing was measured");
      task->expansion = std::move(*rest);
    }
    return run_and_tell(*task, {given, memory_, patience_, again_of(again_), quiet_, json_});
  }

 private:
  SweepSource source_;
  std::string database_, memory_, patience_, again_;
  bool quiet_ = false, json_ = false;
};

}  // namespace

CommandEntry run_command() {
  return {"run", "Run a sweep on this machine", kMeasureFooter, std::make_unique<RunCommand>()};
}

}  // namespace kernsweep
