// The command `export`: all rows of a sweep, for other programs.
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/read/reader.hpp"
#include "results/report/export.hpp"

namespace kernsweep {
namespace {

class ExportCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    const Option sweep = add_sweep_name(to, sweep_);
    to.flag("--all", all_, "The rows of all sweeps").excludes(sweep);
    to.flag("--csv", csv_, "As CSV (default)");
    to.flag("--jsonl", jsonl_, "One JSON object per line");
    to.flag("--columns", columns_, "Binary columns behind a line of JSON, for programs");
  }

  int run(const Invocation&) override {
    auto reader = Reader::open(database_);
    if (!reader) return report_error(reader.error().message);
    if (csv_ + jsonl_ + columns_ > 1) return report_error("export is one of --csv, --jsonl and --columns");
    const ExportQuestion question{sweep_, all_,
                                  columns_ ? ExportFormat::columns
                                  : jsonl_ ? ExportFormat::jsonl
                                           : ExportFormat::csv};
    const Status done = export_rows(*reader, question, to_stdout);
    return done ? 0 : failed_answer(done.error().message);
  }

 private:
  std::string database_, sweep_;
  bool all_ = false, csv_ = false, jsonl_ = false, columns_ = false;
};

}  // namespace

CommandEntry export_command() {
  return {"export", "Write all rows of a sweep to stdout",
          "All rows are written, whatever their status and grade: look at those columns before you use a "
          "number.\n" +
              std::string(kAnswerFooter),
          std::make_unique<ExportCommand>()};
}

}  // namespace kernsweep
