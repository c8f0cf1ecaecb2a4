// The command `export`: all rows of a sweep, for other programs.
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/read/reader.hpp"
#include "results/report/export.hpp"
#include "results/report/google_benchmark.hpp"
#include "results/report/t4.hpp"

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
    to.flag("--google-benchmark", google_benchmark_,
            "As programs of Google Benchmark write it, for its compare.py");
    to.flag("--t4", t4_, "As T4 results, for tools of kernel tuners");
  }

  int run(const Invocation&) override {
    auto reader = Reader::open(database_);
    if (!reader) return report_error(reader.error().message);
    if (csv_ + jsonl_ + columns_ + google_benchmark_ + t4_ > 1)
      return report_error("export is one of --csv, --jsonl, --columns, --google-benchmark and --t4");
    if ((google_benchmark_ || t4_) && all_)
      return report_error(std::string(t4_ ? "--t4" : "--google-benchmark") +
                          " is of one sweep, not of --all");
    if (google_benchmark_ || t4_) {
      const Status done =
          t4_ ? export_t4(*reader, sweep_, to_stdout) : export_google_benchmark(*reader, sweep_, to_stdout);
      return done ? flushed(0) : failed_answer(done.error().message);
    }
    const ExportQuestion question{sweep_, all_,
                                  columns_ ? ExportFormat::columns
                                  : jsonl_ ? ExportFormat::jsonl
                                           : ExportFormat::csv};
    const Status done = export_rows(*reader, question, to_stdout);
    return done ? 0 : failed_answer(done.error().message);
  }

 private:
  std::string database_, sweep_;
  bool all_ = false, csv_ = false, jsonl_ = false, columns_ = false, google_benchmark_ = false, t4_ = false;
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
