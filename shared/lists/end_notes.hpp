// Notes of a result that `run` also prints at its end. It finds them by these texts.
#pragma once

#include <string_view>

namespace kernsweep {

// Part of the note about a program that needs more cores: "2 threads on 1 core; add threads: 2".
inline constexpr std::string_view kAddThreads = "; add threads: ";
// The beginning of the note: "the cleanup failed: the command exited with status 1".
inline constexpr std::string_view kCleanupFailed = "the cleanup failed: ";
// The end of the note: "what `make` runs is not known, so the result is never reused; list its files ...".
inline constexpr std::string_view kListFiles = "; list its files under depends";

}  // namespace kernsweep
