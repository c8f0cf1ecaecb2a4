// What the end of a slot's stderr says about a job that took too long. Pure text.
#pragma once

#include <string>
#include <string_view>

namespace kernsweep {

// What the command pack writes when it is asked what it does, before the last lines of its program.
inline constexpr std::string_view kProgramSaid = "kernsweep: the program's last line";

// The last line that has more than blanks, as UTF-8; empty if there is none.
std::string last_line(const std::string& text);

// One clause for the reason of a job that was ended by a time limit; empty: nothing was written.
//
// `last_words`: the end of its stderr. If it has the stacks that Python's faulthandler writes: of the
// thread that computed the innermost call, and what of the user's code has led there, not what Python's own
// library called in between. Otherwise the last line.
std::string what_it_did(const std::string& last_words);

}  // namespace kernsweep
