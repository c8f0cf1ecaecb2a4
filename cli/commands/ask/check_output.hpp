// Options that also write an answer for programs: --junit and --annotations.
#pragma once

#include <string>

#include "cli/grammar/options.hpp"
#include "results/report/answer_checks.hpp"

namespace kernsweep {

class CheckOutput {
 public:
  void declare(Options& to);
  // Prints `text` on stdout, and the requested outputs: the report into its file, the annotations after the
  // text, or on stderr if the text is JSON. Returns `status`, or kExitBadInput if the file cannot be
  // written.
  int print(const std::string& text, int status, const AnswerChecks& checks, bool json) const;

 private:
  std::string junit_, annotations_;
};

}  // namespace kernsweep
