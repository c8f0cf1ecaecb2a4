// Prints the answers and errors of commands on stdout and stderr.
#pragma once

#include <string>
#include <string_view>

#include "results/text/heat.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Prints "kernsweep: <message>" on stderr; returns kExitBadInput.
int report_error(const std::string& message);

// Prints `text` on stdout without control sequences of terminals, because names and reasons in it may come
// from other users. Returns flushed(status).
int print_answer(const std::string& text, int status = 0);

// The layout of an answer on stdout: a terminal has a width, and colours unless $NO_COLOR is set and not
// empty (no-color.org) or $TERM is "dumb". A file and a pipe have neither. Pictures use ASCII if the locale
// is not UTF-8, or $TERM has few characters ("dumb", "linux").
Screen screen_of_stdout();

// Prints `text` unchanged: JSON, whose names must not change, or a table that has cleaned its names and
// coloured its cells. Returns the exit status, as print_answer() does.
int print_as_it_is(std::string_view text, int status = 0);

// Writes the next part of a long answer. Error: it cannot be written.
Status to_stdout(std::string_view text);
// Returns the exit status after such an answer failed, and prints `message`. An error of stdout itself is
// not printed here, but at the end of the program by flushed().
int failed_answer(const std::string& message);

// Flushes stdout and returns `status`. If that fails (a full disk, a closed pipe), prints an error, but
// only once, and returns kExitBadInput instead of kExitAllAccepted.
int flushed(int status);

}  // namespace kernsweep
