// The variants of the family gemm on a processor.
#pragma once

#include "kernels/api/pack.hpp"

namespace kernsweep {

pack::Variant gemm_onednn();
pack::Variant gemm_blas();
pack::Variant gemm_blocked();  // our own

}  // namespace kernsweep
