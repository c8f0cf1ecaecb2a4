// Exit statuses that scripts may rely on. Commands that give others a meaning of their own say so in
// --help.
#pragma once

namespace kernsweep {

constexpr int kExitAllAccepted = 0;  // every job has an accepted result; or: answered
constexpr int kExitSomeWithout = 1;  // finished, but some jobs have none
constexpr int kExitBadInput = 2;     // bad input or usage
constexpr int kExitResumable = 3;    // stopped; it can be resumed

}  // namespace kernsweep
