// recover: what can be saved of a damaged database; with --check, whether it is damaged at all.
#include "cli/grammar/arguments.hpp"
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

}  // namespace

int recover_command(const Arguments& arguments) {
  if (arguments.only_check) return print_check(arguments.file);
  const std::string to = arguments.database.empty() ? recovered_name(arguments.file) : arguments.database;
  const auto told = recover(arguments.file, to);
  if (!told) return report_error(told.error().message);
  return print_answer(text_of(*told, arguments.file, to),
                      told->whole() ? kExitAllAccepted : kExitSomeWithout);
}

}  // namespace kernsweep
