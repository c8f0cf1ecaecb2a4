// cblas_sgemm and cblas_dgemm of whichever library `blas.library` names; a batch is a loop of calls.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep {

extern const ks_variant kGemmBlas;

}  // namespace kernsweep
