// The command `plot`: a picture of one metric, for the terminal and as SVG.
#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands/ask/column_names.hpp"
#include "cli/commands/ask/metric_options.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "cli/show/picture_output.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/pivot_text.hpp"
#include "shared/base/try.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

PlotLog plot_log(const std::string& word) {
  if (word == "none") return PlotLog::none;
  if (word == "x") return PlotLog::x;
  if (word == "y") return PlotLog::y;
  return word == "xy" ? PlotLog::xy : PlotLog::automatic;
}

class PlotCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, question_.of.sweep);
    to.option("--x", style_.x,
              "Column of the sweep along the picture: numbers make lines, anything else bars")
        .required();
    to.option("--by", by_, "Columns with a line for each value (default: variant, or the first setting)");
    add_where(to, question_.where);
    numbers_.declare(to);
    to.option("--log", log_,
              "Axes with a logarithmic scale: x, y, xy or none (default: y, where the largest value is "
              "more than "
              "30 times the smallest)")
        .one_of({"x", "y", "xy", "none"});
    picture_.declare_always(to);
    add_json(to, json_);
  }
  int run(const Invocation& given) override;

 private:
  Status read_columns();

  std::string database_, log_;
  PictureOptions picture_;
  std::vector<std::string> by_;
  PivotQuestion question_;
  PlotStyle style_;
  MetricOptions numbers_;
  bool json_ = false;
};

// Sets the question of the pivot: a row for each x, a column for each value of the first column of --by.
Status PlotCommand::read_columns() {
  style_.log = plot_log(log_);
  KS_RETURN_IF_ERROR(picture_.check());
  if (by_.empty() && style_.x == "variant") {  // the best of each, whatever its settings
    question_.columns = style_.x;
    return Done{};
  }
  question_.rows = {style_.x};
  if (by_.empty()) return Done{};
  KS_ASSIGN_OR_RETURN(auto names, column_names("--by", by_));
  if (std::ranges::find(names, style_.x) != names.end())
    return failure("'" + style_.x + "' cannot be --x and --by at once; say by --by what the lines are");
  question_.columns = names.front();
  question_.rows.insert(question_.rows.end(), names.begin() + 1, names.end());
  return Done{};
}

int PlotCommand::run(const Invocation&) {
  if (const Status read = read_columns(); !read) return report_error(read.error().message);
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  if (const Status chosen = numbers_.choose(*reader, question_.of); !chosen)
    return report_error(chosen.error().message);
  const auto answer = pivot(*reader, question_);
  if (!answer) return report_error(answer.error().message);
  const bool any = !answer->table.empty();
  std::optional<Picture> picture;
  if (any) {
    auto drawn = picture_of(*answer, style_);
    if (!drawn) return report_error(drawn.error().message);
    picture = std::move(*drawn);
  }
  return picture_.print(
      picture ? &*picture : nullptr,
      {.table = any ? "" : text_of(answer->about, database_, 0),
       .left_out = any ? text_of_left_out(answer->about, "kernsweep plot with --grade C") : "",
       .json = json_ ? to_json(*answer) : ""});
}

}  // namespace

CommandEntry plot_command() {
  return {
      "plot", "A picture of one metric: lines over numbers, bars over anything else; also as SVG",
      "A point is the best setting of what is not named, as in pivot; --json prints the table of pivot. "
      "Problems\n"
      "are never mixed: each has a plot.\n" +
          std::string(kAnswerFooter),
      std::make_unique<PlotCommand>()};
}

}  // namespace kernsweep
