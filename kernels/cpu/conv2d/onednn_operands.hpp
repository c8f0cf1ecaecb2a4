// The description of a convolution for oneDNN.
#pragma once

#include "kernels/cpu/libraries/dnnl.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d {

// Images and results in the point's layout, weights o i h w, with the groups in front if there are several;
// none has data. `activations`, `weights`: the library chooses the layout of images and results, of
// weights.
DnnlOperands onednn_operands(const Problem& problem, bool activations, bool weights);
DnnlWindow onednn_window(const Problem& problem, DnnlAlgorithm algorithm);

}  // namespace kernsweep::conv2d
