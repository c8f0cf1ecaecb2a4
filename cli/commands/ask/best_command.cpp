// The command `best`: the best variant and setting for each problem.
#include <cstdio>

#include "cli/commands/ask/column_names.hpp"
#include "cli/commands/ask/metric_options.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/answer/best/best.hpp"
#include "results/answer/roof_shares.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/json.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

class BestCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  Result<BestQuestion> question(Reader& reader) const;

  std::string database_, sweep_;
  MetricOptions numbers_;
  std::vector<std::string> by_;
  bool json_ = false;
};

void BestCommand::declare(Options& to) {
  add_database(to, database_);
  add_sweep_name(to, sweep_);
  to.option("--by", by_,
            "Columns that make up a problem, as m,n (default: as the kernel or the sweep declares)");
  numbers_.declare(to);
  add_json(to, json_);
}

Result<BestQuestion> BestCommand::question(Reader& reader) const {
  BestQuestion question;
  question.sweep = sweep_;
  if (!by_.empty()) {
    KS_ASSIGN_OR_RETURN(question.by, column_names("--by", by_));
  }
  KS_RETURN_IF_ERROR(numbers_.choose(reader, question));
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
  if (!answer->rows.empty())
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
