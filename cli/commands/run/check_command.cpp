// The command `check`: reports what a sweep file will do, without running it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/commands/run/checked_sweep.hpp"
#include "cli/commands/run/model_file.hpp"
#include "cli/commands/run/program_question.hpp"
#include "cli/commands/run/reference_files.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "language/check/explain.hpp"
#include "language/check/problem.hpp"
#include "language/file/replacements_text.hpp"
#include "results/read/job_times.hpp"
#include "shared/base/log.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

class CheckCommand : public Command {
 public:
  void declare(Options& to) override {
    add_sweep_source(to, source_);
    add_json(to, json_);
  }

  int run(const Invocation&) override {
    Catalogue kernels;
    auto expansion = checked_sweep(source_, &kernels);
    if (!expansion) return report_error(expansion.error().message);
    if (const Status found = find_reference_files(*expansion); !found)
      return report_error(found.error().message);
    tell(missing_programs(*expansion));
    if (auto rest = without_hopeless_models(*expansion, source_.replacements)) {
      expansion = std::move(rest);
    } else {
      complain("cannot be measured on this machine: " + rest.error().message);
    }
    CheckReport report = check_report(*expansion);
    report.problem = problem_names(expansion->sweep(), kernels);
    if (std::string note = note_of_unknown(*expansion); !note.empty())
      report.notes.push_back(std::move(note));
    learn_time(*expansion, text_of(source_.replacements), report);
    std::printf("%s\n", (json_ ? to_json(report) : to_text(report)).c_str());
    return 0;
  }

 private:
  // Reads times of an earlier run, if they are in the sweep's own database. `run` reports a database that
  // cannot be read.
  static void learn_time(const Expansion& expansion, std::string replacements, CheckReport& report) {
    const std::string database = expansion.sweep().name + ".db";
    if (access(database.c_str(), R_OK) != 0) return;
    auto reader = Reader::open(database);
    if (!reader) return;
    const Sweep& sweep = expansion.sweep();
    SweepRecord same;
    same.name = sweep.name;
    same.kernel = sweep.program.empty() ? sweep.kernel : sweep.program;
    same.text = sweep.text;
    same.replacements = std::move(replacements);
    const auto times = job_times(*reader, same);
    if (!times || !*times) return;
    report.learned_s = std::max(report.seconds, (*times)->each_s * static_cast<double>(report.jobs));
    report.learned_from =
        fmt::format("the {} of {} in {}{}", counted((*times)->jobs, "job", "jobs"), (*times)->sweep,
                    database, (*times)->same ? "" : ", with other points or rules");
  }

  SweepSource source_;
  bool json_ = false;
};

}  // namespace

CommandEntry check_command() {
  return {"check", "Explain a sweep file: axes, counts, rejected points, time", kAnswerFooter,
          std::make_unique<CheckCommand>()};
}

}  // namespace kernsweep
