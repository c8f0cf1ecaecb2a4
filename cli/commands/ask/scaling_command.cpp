// The command `scaling`: speedup and efficiency over threads, with a fit of Amdahl's law.
#include <optional>

#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "cli/show/picture_output.hpp"
#include "results/plot/scaling_picture.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/scaling_text.hpp"

namespace kernsweep {
namespace {

class ScalingCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, question_.of.sweep);
    to.option("--axis", question_.axis, "Column with the numbers of threads (default: threads)");
    add_where(to, question_.where);
    add_all_grades(to, all_grades_);
    picture_.declare(to);
    add_json(to, json_);
  }

  int run(const Invocation&) override {
    if (const Status named = picture_.check(); !named) return report_error(named.error().message);
    question_.of.worst_grade = all_grades_ ? 'C' : 'B';
    auto reader = Reader::open(database_);
    if (!reader) return report_error(reader.error().message);
    const auto answer = scaling(*reader, question_);
    if (!answer) return report_error(answer.error().message);
    const bool any = !answer->series.empty();
    std::optional<Picture> picture;
    if (any && picture_.wanted()) picture = picture_of(*answer);
    return picture_.print(
        picture ? &*picture : nullptr,
        {.table = text_of(*answer, database_),
         .left_out = any ? text_of_left_out(answer->about, "kernsweep scaling with --all-grades") : "",
         .json = json_ ? to_json(*answer) : ""});
  }

 private:
  std::string database_;
  ScalingQuestion question_;
  PictureOptions picture_;
  bool all_grades_ = false, json_ = false;
};

}  // namespace

CommandEntry scaling_command() {
  return {"scaling", "Speedup and efficiency over threads, with a fit of Amdahl's law", kAnswerFooter,
          std::make_unique<ScalingCommand>()};
}

}  // namespace kernsweep
