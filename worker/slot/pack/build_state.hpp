// The source revision and the flags of this program: defined in a file that every build rewrites
// (cmake/build_state.cmake).
#pragma once

namespace kernsweep {

extern const char* const kBuildGit;       // "0907182683da+changes", or a note that git was missing
extern const char* const kBuildCompiler;  // "GNU 12.2.0"
extern const char* const kBuildFlags;     // "Release -O3 -DNDEBUG"

}  // namespace kernsweep
