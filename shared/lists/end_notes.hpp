// Notes of a result that the end of `run` prints, too. It finds them by these texts.
#pragma once

#include <string_view>

namespace kernsweep {

// Within the note of a program that needs more cores: "2 threads on 1 core; add threads: 2".
inline constexpr std::string_view kAddThreads = "; add threads: ";
// At the beginning of the note: "the cleanup failed: the command exited with status 1".
inline constexpr std::string_view kCleanupFailed = "the cleanup failed: ";

}  // namespace kernsweep
