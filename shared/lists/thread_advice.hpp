// The note of a program that needs more cores: "2 threads on 1 core; add threads: 2". Stored among the
// notes of a result; the end of `run` finds it there.
#pragma once

#include <string_view>

namespace kernsweep {

inline constexpr std::string_view kAddThreads = "; add threads: ";

}  // namespace kernsweep
