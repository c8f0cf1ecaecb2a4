// A shell's inputs besides its sockets, controlled by the test: the monotonic clock, the stop signal and
// the log. The linker takes these in place of the ones of libstdc++ and ks_shared.
#pragma once

#include <cstdint>

#include "shared/base/instant.hpp"

namespace kernsweep::fuzz {

// The clock jumps ahead.
void leap(Duration ahead);
// As Ctrl-C would.
void ask_to_stop();
// No signal has come yet.
void forget_stops();
// Lines of the log so far that say that something cannot be read.
std::uint64_t unread_lines();

}  // namespace kernsweep::fuzz
