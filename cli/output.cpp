#include <cstdio>

#include "cli/arguments.hpp"
#include "shared/log.hpp"
#include "shared/utf8.hpp"

namespace kernsweep {

int report_error(const std::string& message) {
  complain("kernsweep: " + message);
  return kExitBadInput;
}

int print_answer(const std::string& text, int status) {
  std::fputs(for_terminal(text).c_str(), stdout);
  return std::fflush(stdout) == 0 ? status : report_error("the output could not be written");
}

}  // namespace kernsweep
