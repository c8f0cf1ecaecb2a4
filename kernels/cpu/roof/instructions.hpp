// The loops that this processor can run, by the name of an instruction set.
#pragma once

#include <string>

#include "kernels/api/pack.h"
#include "kernels/cpu/roof/loops.hpp"

namespace kernsweep::roof {

enum class Instructions { plain, avx2, avx512 };
const char* name_of(Instructions instructions);

// The loops, or null with the reason in `why`. Also checks the support of the operating system.
const Loops* find_loops(Instructions instructions, std::string& why);

// The chain for a type, or null with the reason in `why`. All loops have f64 and f32.
const Chain* find_chain(Instructions instructions, ks_dtype dtype, std::string& why);

}  // namespace kernsweep::roof
