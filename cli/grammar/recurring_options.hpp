// Options of several commands, declared once so that they have the same names and descriptions everywhere.
#pragma once

#include <string>

#include "cli/grammar/options.hpp"
#include "language/space/expansion.hpp"
#include "shared/base/again.hpp"

namespace kernsweep {

// Footer of --help for commands that measure a sweep.
inline constexpr const char* kMeasureFooter =
    "Exit status: 0 every job has an accepted result, 1 finished but some have none, 2 bad input or "
    "usage,\n"
    "3 stopped and resumable.";
// Footer of --help for commands that measure nothing.
inline constexpr const char* kAnswerFooter = "Exit status: 0 answered, 2 bad input or usage.";

Option add_sweep_file(Options& to, std::string& into);
Option add_database(Options& to, std::string& into);
Option add_sweep_name(Options& to, std::string& into);
Option add_result(Options& to, std::string& into);
Option add_new_database(Options& to, std::string& into);
Option add_json(Options& to, bool& into);
Option add_quiet(Options& to, bool& into);
// `into`: "all" or "doubtful"; empty: not given.
Option add_again(Options& to, std::string& into);
Option add_all_grades(Options& to, bool& into);
// An SQL condition as the user typed it; empty: not given.
Option add_where(Options& to, std::string& into);
Option add_margin(Options& to, std::string& into);
Option add_worker_memory(Options& to, std::string& into);
// A duration of at most an hour, in the form of duration_of(); empty: not given.
Option add_patience(Options& to, std::string& into);
// Declares -a, --set, --only, --sample, --decide and --quick.
void add_replacements(Options& to, Replacements& into);

}  // namespace kernsweep
