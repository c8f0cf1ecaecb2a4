// Compiled with -mavx512f.
#include "kernels/cpu/roof/loops_body.hpp"

namespace kernsweep::roof {

const Loops kAvx512Loops = {Body<double, 64>::chain(), Body<float, 64>::chain(), &kAvx512Bf16Chain,
                            &kAvx512VnniChain, &Body<double, 64>::read};

}  // namespace kernsweep::roof
