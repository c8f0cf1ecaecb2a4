// A cuDNN without a GPU: a test configures libcudnn.so.9 of this folder, and reads its state afterwards.
//
// It computes by the definition from its descriptors, on memory of the simulated driver, when the driver's
// stream comes to it: a wrong extent, order or stride is a wrong result. It is strict: descriptors must be
// made, filled and destroyed; arrays must be as large as described; the workspace must be what was asked
// for, and is written over. Misuse ends the test program with a reason.
//
// Like cuDNN 9 it has no algorithm for everything: gemm and winograd want nchw, winograd 3 x 3 kernels with
// stride 1 that are dense, fft nchw with stride 1 and is not in bf16.
#pragma once

#include <cstddef>
#include <string>

namespace kernsweep::testing::fake_cudnn {

struct Simulation {
  std::size_t version = 91900;
  std::string fails;  // the function that answers `status` instead of working
  int status = 0;
  bool breaks_context = false;         // cudnnConvolutionForward does, if it is what fails
  std::size_t workspace_bytes = 4096;  // of all algorithms but implicit_gemm
  int recommended_fail = 0;            // so many of the heuristic's first results carry NOT_SUPPORTED
};

// The last convolution.
struct Done {
  int convolutions = 0;
  int algorithm = -1, math = -1;  // of cudnn.h
  bool channels_last = false;
};

void start(const Simulation& simulation = {});
Done done();
// Text with the handles and descriptors that were not destroyed; "" if there are none.
std::string left_over();

}  // namespace kernsweep::testing::fake_cudnn
