// The command `total`: the time of a network whose layers are the problems of a sweep.
#include <algorithm>

#include "cli/commands/again/stored_point.hpp"
#include "cli/commands/ask/column_names.hpp"
#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "language/space/axis.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/total_text.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

class TotalCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, question_.of.sweep);
    to.option(
        "--same", same_,
        "Settings that one choice has the same in all layers, as variant,layout (default: variant); the "
        "others are the best of each layer");
    to.option("--layer", layer_,
              "Columns that identify the layers of a network, as label,m (default: those of the table that "
              "has the column count)");
    add_where(to, question_.where);
    add_margin(to, margin_);
    add_all_grades(to, all_grades_);
    add_json(to, json_);
  }
  int run(const Invocation& given) override;

 private:
  Status read_question(Reader& reader);
  Status find_layers(Reader& reader);

  std::string database_, margin_ = "1%";
  std::vector<std::string> same_, layer_;
  TotalQuestion question_;
  bool all_grades_ = false, json_ = false;
};

// The axis of the stored sweep file that has the column `count`.
Status TotalCommand::find_layers(Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto stored, reader.find_sweep(question_.of.sweep));
  const auto task = task_of(stored);
  if (!task)
    return failure(task.error().message +
                   "; give --layer the columns that identify the layers of a network");
  for (const Axis& axis : task->expansion.axes()) {
    const auto is_count = [](const AxisField& field) { return field.name == "count"; };
    if (std::ranges::none_of(axis.fields, is_count)) continue;
    for (const AxisField& field : axis.fields)
      if (field.name != "count") question_.table.push_back(field.name);
    question_.layers = axis.size();
  }
  return Done{};
}

Status TotalCommand::read_question(Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto rules, comparison_rules(margin_));
  question_.of.rules = rules;
  question_.of.worst_grade = all_grades_ ? 'C' : 'B';
  if (!same_.empty()) {
    KS_ASSIGN_OR_RETURN(question_.same, column_names("--same", same_));
  }
  Status found = find_layers(reader);  // with --layer there may be no sweep file to read
  if (layer_.empty()) {
    question_.layer = question_.table;
    std::erase_if(question_.layer, [&](const std::string& name) {
      return std::ranges::find(question_.same, name) != question_.same.end();
    });
    return found;
  }
  KS_ASSIGN_OR_RETURN(question_.layer, column_names("--layer", layer_));
  question_.layers = 0;
  return Done{};
}

int TotalCommand::run(const Invocation&) {
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  if (const Status read = read_question(*reader); !read) return report_error(read.error().message);
  const auto answer = total(*reader, question_);
  if (!answer) return report_error(answer.error().message);
  if (json_) return print_as_it_is(to_json(*answer) + "\n");
  std::string text = text_of(*answer, database_);
  if (!answer->networks.empty())
    text += text_of_left_out(answer->about, "kernsweep total with --all-grades");
  return print_answer(text);
}

}  // namespace

CommandEntry total_command() {
  return {
      "total", "Time of a whole network: layers times their count, one choice or mixed",
      "The problems of the sweep are a table with a column `count`, as in sweeps/resnet50_conv.yaml.\n" +
          std::string(kAnswerFooter),
      std::make_unique<TotalCommand>()};
}

}  // namespace kernsweep
