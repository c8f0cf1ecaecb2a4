#include <cstdio>
#include <utility>

#include "cli/grammar/arguments.hpp"
#include "shared/base/log.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

int report_error(const std::string& message) {
  complain("kernsweep: " + message);
  return kExitBadInput;
}

int flushed(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  static bool told = false;  // the error stays with the stream
  if (!std::exchange(told, true)) report_error("the output could not be written, or only a part of it");
  return status == kExitAllAccepted ? kExitBadInput : status;
}

int print_answer(const std::string& text, int status) {
  std::fputs(for_terminal(text).c_str(), stdout);
  return flushed(status);
}

}  // namespace kernsweep
