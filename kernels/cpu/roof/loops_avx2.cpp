// Compiled with -mavx2 -mfma.
#include "kernels/cpu/roof/loops_body.hpp"

namespace kernsweep::roof {

const Loops kAvx2Loops = {Body<double, 32>::chain(), Body<float, 32>::chain(), nullptr, nullptr,
                          &Body<double, 32>::read};

}  // namespace kernsweep::roof
