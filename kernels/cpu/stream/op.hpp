// STREAM's loops by name; also for the compiler of GPUs.
#pragma once

namespace kernsweep::stream {

inline constexpr double kScalar = 3.0;

enum class Op { copy, scale, add, triad };

}  // namespace kernsweep::stream
