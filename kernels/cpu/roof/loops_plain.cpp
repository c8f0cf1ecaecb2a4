// 16-byte vectors: what every x86-64 and aarch64 has.
#include "kernels/cpu/roof/loops_body.hpp"

namespace kernsweep::roof {

const Loops kPlainLoops = {Body<double, 16>::chain(), Body<float, 16>::chain(), nullptr, nullptr,
                           &Body<double, 16>::read};

}  // namespace kernsweep::roof
