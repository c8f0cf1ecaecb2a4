#include "cli/commands/ask/check_output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "cli/show/output.hpp"

namespace kernsweep {

void CheckOutput::declare(Options& to) {
  to.option("--junit", junit_, "Also write a JUnit report: a test case for each pair or claim");
  to.option("--annotations", annotations_, "Also print annotations for a log of: github")
      .one_of({"github"});
}

int CheckOutput::print(const std::string& text, int status, const AnswerChecks& checks, bool json) const {
  const std::string annotations = annotations_.empty() ? "" : annotations_of(checks);
  if (json) std::fputs(annotations.c_str(), stderr);
  const int printed = json ? print_as_it_is(text, status) : print_answer(text + annotations, status);
  if (junit_.empty()) return printed;
  std::ofstream file(junit_, std::ios::trunc);
  file << junit_of(checks);
  file.close();
  if (file) return printed;
  return report_error(fmt::format("{}: the report cannot be written: {}", junit_, std::strerror(errno)));
}

}  // namespace kernsweep
