#include "cli/show/output.hpp"

#include <cstdio>
#include <utility>

#include "cli/exit_status.hpp"
#include "shared/base/log.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

int report_error(const std::string& message) {
  complain("kernsweep: " + message);
  return kExitBadInput;
}

int flushed(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  static bool reported = false;  // the stream keeps its error, so this may be called again
  if (!std::exchange(reported, true)) report_error("the output could not be written, or only a part of it");
  return status == kExitAllAccepted ? kExitBadInput : status;
}

int print_answer(const std::string& text, int status) {
  std::fputs(for_terminal(text).c_str(), stdout);
  return flushed(status);
}

Status to_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return Done{};
  return failure("the output could not be written");
}

int failed_answer(const std::string& message) {
  return std::ferror(stdout) != 0 ? kExitBadInput : report_error(message);
}

}  // namespace kernsweep
