// Which loops this processor can run, by the name of an instruction set.
#pragma once

#include <string>

#include "kernels/api/pack.h"
#include "kernels/cpu/roof/loops.hpp"

namespace kernsweep::roof {

enum class Instructions { plain, avx2, avx512 };
const char* name_of(Instructions instructions);

// The loops, or null with what is missing in `why`. The question includes the operating system's support.
const Loops* find_loops(Instructions instructions, std::string& why);

// The chain of a type, or null with what is missing in `why`; nothing is missing for f64 and f32 once there
// are loops.
const Chain* find_chain(Instructions instructions, ks_dtype dtype, std::string& why);

}  // namespace kernsweep::roof
