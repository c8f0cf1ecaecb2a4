// An epilogue as a separate pass over the finished product, for variants that cannot fuse it. The
// difference to `onednn` shows what fusing saves.
//
// C is read and written once more. Runs of columns are divided among the threads of the job; each element
// is computed in its own type. With sigma(y) = 1 / (1 + exp(-y)), 1 + tanh(y) is 2 sigma(2 y), so gelu
// needs one exponential.
#pragma once

#include "kernels/cpu/parallel/pack_team.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep {

// C = act(C + bias), for T float and double; `bias` is not read if the epilogue has none. Does nothing if
// the problem has no epilogue. Refused: the team could not run.
template <class T>
void finish_product(const GemmProblem& problem, const T* bias, T* c, Team& team);

}  // namespace kernsweep
