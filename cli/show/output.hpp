// How a command answers, on stdout and stderr.
#pragma once

#include <string>
#include <string_view>

#include "shared/base/result.hpp"

namespace kernsweep {

// "kernsweep: <message>" on stderr; returns kExitBadInput.
int report_error(const std::string& message);

// `text` on stdout, without what a terminal would obey: names and reasons in it may be a stranger's.
// Returns `status`, or reports that the output cannot be written.
int print_answer(const std::string& text, int status = 0);

// An answer of any size, piece by piece. Error: stdout does not take it.
Status to_stdout(std::string_view text);
// The exit status when such an answer ended by an error, with its message. What stdout does not take is
// told at the end of the program, by flushed().
int failed_answer(const std::string& message);

// What a program ends with: `status`, once all that was printed on stdout is written; otherwise this is
// complained of, once, and what would be a success is bad usage (a full disk, a closed pipe).
int flushed(int status);

}  // namespace kernsweep
