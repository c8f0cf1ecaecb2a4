#include "kernels/cpu/linear/variants.hpp"

using namespace kernsweep::linear;  // for the macro alone

KERNSWEEP_PACK(
    "linear", KERNSWEEP_PACK_VERSION,
    family<Problem>("linear", "linear layer in inference: y = act(x W^T + b) in f32, bf16 or 8 bits",
                    {.reference = "naive", .constants = "w|bias|calibration"},
                    variant<OneDnn>("onednn", "oneDNN's matmul: f32, bf16; s8 with scales in the product"),
                    variant<Own>("own", "ours: s8 with W packed, by VNNI, AVX2 or plain vectors"),
                    variant<Blas>("blas", "f32 by any CBLAS library, the epilogue as a pass"),
                    variant<Blocked>("blocked", "f32 by the product of our gemm, the epilogue as a pass"),
                    variant<Naive>("naive", "the reference: f32 operands, sums in f64")))
