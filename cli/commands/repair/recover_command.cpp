// The command `recover`: saves the readable rows of a damaged database; with --check only looks for damage.
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/recovery/recovery.hpp"

namespace kernsweep {
namespace {

int print_check(const std::string& database) {
  const auto troubles = check_whole(database);
  if (!troubles) return report_error(troubles.error().message);
  if (troubles->empty()) return print_answer(database + ": no damage found\n", kExitAllAccepted);
  std::string text;
  for (const std::string& trouble : *troubles) text += database + ": " + trouble + "\n";
  text += "nothing was changed; `kernsweep recover " + database + "` saves what can be saved\n";
  return print_answer(text, kExitSomeWithout);
}

class RecoverCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, damaged_);
    to.option("--to", new_database_, "New database (default: <name>.recovered.db next to it)");
    to.flag("--check", only_check_, "Only look for damage; nothing is written");
  }

  int run(const Invocation&) override {
    if (only_check_) return print_check(damaged_);
    const std::string to = new_database_.empty() ? recovered_name(damaged_) : new_database_;
    const auto recovery = recover(damaged_, to);
    if (!recovery) return report_error(recovery.error().message);
    return print_answer(text_of(*recovery, damaged_, to),
                        recovery->whole() ? kExitAllAccepted : kExitSomeWithout);
  }

 private:
  std::string damaged_, new_database_;
  bool only_check_ = false;
};

}  // namespace

CommandEntry recover_command() {
  return {"recover", "Save what can be saved of a damaged database",
          "The damaged file is only read. Continue with the new one: kernsweep resume <name>.recovered.db\n"
          "Exit status: 0 all saved, 1 some rows are lost, 2 nothing could be saved or bad usage;\n"
          "with --check: 0 no damage found, 1 damage (recover saves what it can), 2 no database of this "
          "version.",
          std::make_unique<RecoverCommand>()};
}

}  // namespace kernsweep
