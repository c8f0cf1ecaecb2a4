// The command `best`: the best variant and setting for each problem.
#include <cstdio>

#include "cli/commands/ask/column_names.hpp"
#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/answer/best.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/json.hpp"
#include "results/roofs/roof_rows.hpp"

namespace kernsweep {
namespace {

class BestCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  Result<BestQuestion> question(Reader& reader) const;

  std::string database_, sweep_, metric_, better_, grade_, margin_ = "1%";
  std::vector<std::string> by_;
  bool json_ = false;
};

void BestCommand::declare(Options& to) {
  add_database(to, database_);
  add_sweep_name(to, sweep_);
  to.option("--by", by_,
            "Columns that make up a problem, as m,n (default: as the kernel or the sweep declares)");
  to.option("--metric", metric_,
            "median_s (default), gflops, gbps, min_s, max_s, of single calls p90_s, p99_s, p999_s, "
            "energy_j, cpu_s, peak_memory_bytes, or a name of the table metric");
  to.option("--better", better_,
            "Which numbers of a name of the table metric are the better ones: larger or smaller "
            "(default: as was declared, or as its unit says)")
      .one_of({"larger", "smaller"});
  to.option("--grade", grade_, "Worst grade to use: A, B or C (default: B)");
  add_margin(to, margin_);
  add_json(to, json_);
}

Result<BestQuestion> BestCommand::question(Reader& reader) const {
  BestQuestion question;
  question.sweep = sweep_;
  const auto rules = comparison_rules(margin_);
  if (!rules) return tl::unexpected(rules.error());
  question.rules = *rules;
  if (!by_.empty()) {
    auto names = column_names("--by", by_);
    if (!names) return tl::unexpected(names.error());
    question.by = std::move(*names);
  }
  if (!metric_.empty()) {
    const Status chosen = choose_metric(reader, metric_, question);
    if (!chosen) return tl::unexpected(chosen.error());
  }
  question.better = better_named(better_);
  if (question.better != Better::unknown && question.metric != BestMetric::counted)
    return failure("--better is for what was counted; of " + std::string(name_of(question.metric)) +
                   " it is known which numbers are the better ones");
  if (!grade_.empty()) {
    if (grade_.size() != 1 || grade_[0] < 'A' || grade_[0] > 'C')
      return failure("--grade is A, B or C, not '" + grade_ + "'");
    question.worst_grade = grade_[0];
  }
  return question;
}

int BestCommand::run(const Invocation&) {
  auto reader = Reader::open(database_);
  if (!reader) return report_error(reader.error().message);
  const auto asked = question(*reader);
  if (!asked) return report_error(asked.error().message);
  auto answer = best(*reader, *asked);
  if (!answer) return report_error(answer.error().message);
  const auto roofs = read_roofs(*reader);
  if (!roofs) return report_error(roofs.error().message);
  note_above_roofs(*answer, *reader, *roofs);
  if (json_) {
    std::printf("%s\n", to_json(*answer).c_str());
    return 0;
  }
  constexpr auto kAllRows = static_cast<std::size_t>(-1);
  std::printf("%s", text_of(*answer, database_, kAllRows).c_str());
  if (!answer->rows.rows.empty())
    std::printf("%s", text_of_left_out(*answer, best_with_grade_c(database_)).c_str());
  return 0;
}

}  // namespace

CommandEntry best_command() {
  return {"best", "The best variant and setting for each problem",
          "Jobs that failed are left out and, unless --grade C is given, those graded C; the last lines "
          "say how many.\n" +
              std::string(kAnswerFooter),
          std::make_unique<BestCommand>()};
}

}  // namespace kernsweep
