// oneDNN's matmul primitive: f32, and bf16, f16, s8 where the library has them for the processor.
//
// `weights: packed` lets the library choose B's layout and converts B once, before anything is timed: what
// an inference engine does with weights. `plain` multiplies B as it lies. An epilogue is fused into the
// primitive: its bias, and eltwise_relu or eltwise_gelu_tanh as a post-op.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep {

extern const ks_variant kGemmOneDnn;

}  // namespace kernsweep
