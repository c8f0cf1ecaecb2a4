// recover: what can be saved of a damaged database; with --check, whether it is damaged at all.
#include <cstdio>

#include "cli/arguments.hpp"
#include "results/recovery.hpp"
#include "shared/utf8.hpp"

namespace kernsweep {
namespace {

int print_check(const std::string& database) {
  const auto troubles = check_whole(database);
  if (!troubles) return report_error(troubles.error().message);
  for (const std::string& trouble : *troubles)
    std::printf("%s: %s\n", database.c_str(), for_terminal(trouble).c_str());
  if (troubles->empty()) {
    std::printf("%s: no damage found\n", database.c_str());
    return kExitAllAccepted;
  }
  std::printf("nothing was changed; `kernsweep recover %s` saves what can be saved\n", database.c_str());
  return kExitSomeWithout;
}

}  // namespace

int recover_command(const Arguments& arguments) {
  if (arguments.only_check) return print_check(arguments.file);
  const std::string to = arguments.database.empty() ? recovered_name(arguments.file) : arguments.database;
  const auto told = recover(arguments.file, to);
  if (!told) return report_error(told.error().message);
  std::printf("%s", for_terminal(text_of(*told, arguments.file, to)).c_str());
  if (std::fflush(stdout) != 0) return report_error("the output could not be written");
  return told->whole() ? kExitAllAccepted : kExitSomeWithout;
}

}  // namespace kernsweep
