// The command `pivot`: one metric as a table over axes.
#include "cli/commands/ask/column_names.hpp"
#include "cli/commands/ask/metric_options.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "cli/show/picture_output.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/pivot_text.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

class PivotCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, question_.of.sweep);
    to.option("--rows", rows_,
              "Columns of the sweep with a row for each value, as threads,layout (default: a row for each "
              "problem)");
    to.option("--columns", question_.columns,
              "Column of the sweep with a column for each value (default: variant, or the first setting)");
    add_where(to, question_.where);
    numbers_.declare(to);
    to.option("-o,--output", output_, "Write the table as SVG, a heat map, such as heat.svg");
    add_json(to, json_);
  }
  int run(const Invocation& given) override;

 private:
  std::string database_, output_;
  std::vector<std::string> rows_;
  PivotQuestion question_;
  MetricOptions numbers_;
  bool json_ = false;
};

int PivotCommand::run(const Invocation&) {
  if (!rows_.empty()) {
    auto names = column_names("--rows", rows_);
    if (!names) return report_error(names.error().message);
    question_.rows = std::move(*names);
  }
  if (const Status named = check_picture_name(output_); !named) return report_error(named.error().message);
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  if (const Status chosen = numbers_.choose(*reader, question_.of); !chosen)
    return report_error(chosen.error().message);
  const auto answer = pivot(*reader, question_);
  if (!answer) return report_error(answer.error().message);
  const bool any = !answer->table.empty(), writes = !output_.empty() && any;
  std::string text;
  if (writes) {
    const auto written = written_heat_map(output_, *answer);
    if (!written) return report_error(written.error().message);
    text = for_terminal(*written);
  } else if (!output_.empty()) {
    report_error(output_ + " is not written, because there is nothing to draw");
  }
  const int status = output_.empty() || writes ? kExitAllAccepted : kExitBadInput;
  if (json_) return print_as_it_is(to_json(*answer) + "\n", status);
  if (!writes) text = text_of(*answer, screen_of_stdout(), database_);
  if (any) text += for_terminal(text_of_left_out(answer->about, "kernsweep pivot with --grade C"));
  // Not by print_answer(), which would remove the colours; names are cleaned in the layout.
  return print_as_it_is(text, status);
}

}  // namespace

CommandEntry pivot_command() {
  return {
      "pivot", "One metric as a table over axes, with the best of each row; also as SVG",
      "Rows never mix problems: what differs between problems becomes rows, too. A cell is marked as the "
      "best\n"
      "of its row only where that is shown with 99 % confidence.\n" +
          std::string(kAnswerFooter),
      std::make_unique<PivotCommand>()};
}

}  // namespace kernsweep
