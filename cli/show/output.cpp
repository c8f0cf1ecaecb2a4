#include "cli/show/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

namespace {

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// Whether the locale's characters are UTF-8. The first variable that is set decides, as in POSIX.
bool has_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(variable(name));
    if (locale.empty()) continue;
    std::ranges::transform(locale, locale.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

Screen screen_of_stdout() {
  Screen screen{.ascii = !has_utf8()};
  if (isatty(STDOUT_FILENO) != 1) return screen;
  const std::string_view terminal = variable("TERM");
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  screen.columns = known ? size.ws_col : std::size_t{80};
  screen.colours = variable("NO_COLOR").empty() && terminal != "dumb";
  screen.ascii = screen.ascii || terminal == "dumb" || terminal == "linux";
  return screen;
}

Status to_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return Done{};
  return failure("the output could not be written");
}

int print_as_it_is(std::string_view text, int status) {
  const Status done = to_stdout(text);
  return done ? flushed(status) : failed_answer(done.error().message);
}

int failed_answer(const std::string& message) {
  return std::ferror(stdout) != 0 ? kExitBadInput : report_error(message);
}

}  // namespace kernsweep
