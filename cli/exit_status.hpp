// Exit statuses that scripts may rely on. If they have another meaning for a command, its --help says so.
#pragma once

namespace kernsweep {

constexpr int kExitAllAccepted = 0;  // every job has an accepted result; or the command succeeded
constexpr int kExitSomeWithout = 1;  // finished, but some jobs have no accepted result
constexpr int kExitBadInput = 2;     // bad input or usage
constexpr int kExitResumable = 3;    // stopped; it can be resumed

}  // namespace kernsweep
