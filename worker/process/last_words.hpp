// What the end of a slot's stderr shows about a job that took too long. Pure text.
#pragma once

#include <string>
#include <string_view>

namespace kernsweep {

// The command pack writes this before the last lines of its program when it is asked for its state.
inline constexpr std::string_view kProgramSaid = "kernsweep: the program";

// The last line that has more than blanks, as UTF-8; empty if there is none.
std::string last_line(const std::string& text);

// One clause for the reason of a job that a time limit ended; empty: nothing was written.
//
// `last_words`: the end of its stderr. If it has the stacks of Python's faulthandler: the innermost call of
// the computing thread, and the calls of the user's code that led there, without those of Python's own
// library. Otherwise the last line.
std::string what_it_did(const std::string& last_words);

}  // namespace kernsweep
