// cblas_sgemm and cblas_dgemm of whichever library `blas.library` names; a batch is a loop of calls,
// an epilogue a pass of its own after all of them (epilogue_pass.hpp) on the threads of the job.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep {

extern const ks_variant kGemmBlas;

}  // namespace kernsweep
