// STREAM's copy by the driver.
#include "kernels/cuda/stream/arrays.hpp"
#include "kernels/cuda/stream/stream.hpp"

namespace kernsweep::cuda {
namespace {

class StreamMemcpy : public StreamArrays {
 public:
  static void can_run(const Problem& problem) {
    if (problem.op != stream::Op::copy)
      throw Failure(KS_UNSUPPORTED, "the driver only copies: set op: copy, or take the variant cuda");
    if (problem.non_temporal)
      throw Failure(
          KS_UNSUPPORTED,
          "the driver chooses its stores itself: set non_temporal: false, or take the variant cuda");
  }

  using StreamArrays::StreamArrays;

  void start() { copy_on_device(z.address(), x.address(), z.bytes(), stream); }
};

}  // namespace

pack::Variant stream_memcpy() {
  return device_variant<StreamMemcpy>("cuda_memcpy",
                                      "a GPU: the driver's copy, cuMemcpyDtoDAsync; op copy alone");
}

}  // namespace kernsweep::cuda
