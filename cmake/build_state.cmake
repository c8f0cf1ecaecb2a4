# cmake -DSOURCE=... -DOUT=... -DCOMPILER=... -DFLAGS=... -P build_state.cmake
# Writes a source file with the state of the sources and of this build, for the rows of `software`.
# Run by every build; the file changes only if its text does, to avoid needless compilation.
execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty=+changes --abbrev=12
                OUTPUT_VARIABLE git OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR git STREQUAL "")
  set(git "not from a git checkout")
endif()
string(STRIP "${FLAGS}" FLAGS)
string(REGEX REPLACE "[\"\\]" "" FLAGS "${FLAGS}")
string(REGEX REPLACE " +" " " FLAGS "${FLAGS}")
set(text "// Written by cmake/build_state.cmake.\n#include \"worker/slot/pack/build_state.hpp\"\n\n")
string(APPEND text "namespace kernsweep {\n")
string(APPEND text "const char* const kBuildGit = \"${git}\";\n")
string(APPEND text "const char* const kBuildCompiler = \"${COMPILER}\";\n")
string(APPEND text "const char* const kBuildFlags = \"${FLAGS}\";\n}\n")
file(CONFIGURE OUTPUT ${OUT} CONTENT "${text}" @ONLY)
