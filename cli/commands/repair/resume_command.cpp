// The command `resume`: continues a stopped sweep on this machine.
#include "cli/commands/again/stored_point.hpp"
#include "cli/commands/run/sweep_summary.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"

namespace kernsweep {
namespace {

class ResumeCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, sweep_);
    add_quiet(to, quiet_);
    add_worker_memory(to, memory_);
    add_patience(to, patience_);
    add_json(to, json_);
  }

  int run(const Invocation& given) override {
    auto reader = Reader::open(database_);
    if (!reader) return report_error(reader.error().message);
    const auto stored = reader->find_sweep(sweep_);
    if (!stored) return report_error(stored.error().message);
    auto task = task_of(*stored);
    if (!task) return report_error(task.error().message);
    if (const Status some = has_a_point(task->expansion); !some) return report_error(some.error().message);
    return run_and_tell({std::move(task->expansion), std::move(task->replacements), database_},
                        {given, memory_, patience_, Again::no, quiet_, json_});
  }

 private:
  std::string database_, sweep_, memory_, patience_;
  bool quiet_ = false, json_ = false;
};

}  // namespace

CommandEntry resume_command() {
  return {"resume", "Continue a sweep that was stopped", kMeasureFooter, std::make_unique<ResumeCommand>()};
}

}  // namespace kernsweep
