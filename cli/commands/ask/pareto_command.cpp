// The command `pareto`: the points that no other one dominates in several metrics.
#include "cli/commands/ask/column_names.hpp"
#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/answer/best/best_metric.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/pareto_text.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

class ParetoCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, question_.sweep);
    to.option("--metric", metrics_,
              "Two or more, as --metric median_s --metric energy_j: those of best; after a name of the "
              "table metric write which numbers are better, as misses:smaller")
        .required();
    add_where(to, question_.where);
    add_all_grades(to, all_grades_);
    add_json(to, json_);
  }
  int run(const Invocation& given) override;

 private:
  Status read_metrics(Reader& reader);

  std::string database_;
  std::vector<std::string> metrics_;
  ParetoQuestion question_;
  bool all_grades_ = false, json_ = false;
};

Status ParetoCommand::read_metrics(Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto names, column_names("--metric", metrics_));
  if (names.size() < 2)
    return failure(
        "--metric: give two or more, such as --metric median_s --metric peak_memory_bytes; `best "
        "--metric` answers for one");
  for (const std::string& name : names) {
    BestQuestion question;
    const auto colon = name.find(':');
    const std::string way = colon == std::string::npos ? "" : name.substr(colon + 1);
    KS_RETURN_IF_ERROR(choose_metric(reader, name.substr(0, colon), question));
    question.better = better_named(way);
    if (colon != std::string::npos && question.better == Better::unknown)
      return failure("--metric '" + name + "': write larger or smaller after the colon");
    if (colon != std::string::npos && question.metric != BestMetric::counted)
      return failure("--metric '" + name + "': for " + std::string(name_of(question.metric)) + " a " +
                     std::string(name_of(better_in(question))) + " value is always better");
    question_.metrics.push_back(std::move(question));
  }
  return Done{};
}

int ParetoCommand::run(const Invocation&) {
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  if (const Status read = read_metrics(*reader); !read) return report_error(read.error().message);
  question_.worst_grade = all_grades_ ? 'C' : 'B';
  const auto answer = pareto(*reader, question_);
  if (!answer) return report_error(answer.error().message);
  if (json_) return print_as_it_is(to_json(*answer) + "\n");
  std::string text = text_of(*answer, database_);
  if (!answer->problems.empty())
    text += text_of_left_out(answer->about, "kernsweep pareto with --all-grades");
  return print_answer(text);
}

}  // namespace

CommandEntry pareto_command() {
  return {"pareto", "Points that no other point beats in all of several metrics", kAnswerFooter,
          std::make_unique<ParetoCommand>()};
}

}  // namespace kernsweep
