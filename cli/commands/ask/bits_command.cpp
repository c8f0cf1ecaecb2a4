// The command `bits`: which axis changes the bits of the output.
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/report/bits_text.hpp"

namespace kernsweep {
namespace {

class BitsCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    add_sweep_name(to, sweep_);
    add_all_grades(to, all_grades_);
    add_json(to, json_);
  }

  int run(const Invocation&) override {
    auto reader = Reader::open(database_);
    if (!reader) return report_error(reader.error().message);
    const BitsQuestion question{sweep_, all_grades_ ? 'C' : 'B'};
    const auto answer = bits(*reader, question);
    if (!answer) return report_error(answer.error().message);
    return json_ ? print_as_it_is(to_json(*answer) + "\n") : print_answer(text_of(*answer, question));
  }

 private:
  std::string database_, sweep_;
  bool all_grades_ = false, json_ = false;
};

}  // namespace

CommandEntry bits_command() {
  return {"bits", "Which axis changes the bits of the output", kAnswerFooter,
          std::make_unique<BitsCommand>()};
}

}  // namespace kernsweep
