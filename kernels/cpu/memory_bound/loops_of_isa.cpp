// The loops, compiled for each instruction set: of_isa.hpp.
#include "kernels/cpu/libraries/of_isa.hpp"
#include "kernels/cpu/memory_bound/loops.hpp"
#include "kernels/cpu/memory_bound/row_lengths.hpp"
#include "kernels/cpu/memory_bound/vectors.hpp"
//
#include "kernels/cpu/memory_bound/elementwise_loops.hpp"
#include "kernels/cpu/memory_bound/gather_loops.hpp"
#include "kernels/cpu/memory_bound/layernorm_loops.hpp"
#include "kernels/cpu/memory_bound/reduction_loops.hpp"
#include "kernels/cpu/memory_bound/softmax_loops.hpp"
#include "kernels/cpu/memory_bound/transpose_loops.hpp"

namespace kernsweep::memory_bound {

constinit const Loops KERNSWEEP_OF_ISA(kLoops) = {
    .isa = KERNSWEEP_ISA,
    .softmax = softmax_rows,
    .layernorm = layernorm_rows,
    .elementwise = {add, mul, relu, exp, sigmoid, silu, gelu_tanh},
    .reduce_run = {reduce_run<Sum>, reduce_run<Squares>, reduce_run<Maximum>},
    .reduce_rows = {reduce_rows<Sum>, reduce_rows<Squares>, reduce_rows<Maximum>},
    .transpose = transpose,
    .gather = gather,
};

}  // namespace kernsweep::memory_bound
