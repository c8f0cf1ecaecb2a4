// What this program was built from, and how: defined in a file that every build writes anew
// (cmake/build_state.cmake).
#pragma once

namespace kernsweep {

extern const char* const kBuildGit;       // "0907182683da+changes", or that there was no git
extern const char* const kBuildCompiler;  // "GNU 12.2.0"
extern const char* const kBuildFlags;     // "Release -O3 -DNDEBUG"

}  // namespace kernsweep
