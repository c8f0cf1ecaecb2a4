// STREAM's copy by the driver.
#include "kernels/cuda/stream/arrays.hpp"
#include "kernels/cuda/stream/stream.hpp"

namespace kernsweep::cuda {
namespace {

class StreamMemcpy : public StreamArrays {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    stream::Problem problem;
    if (const ks_status status = stream::parse(params, problem, why); status != KS_OK) return status;
    if (problem.op != stream::Op::copy)
      return refuse(KS_UNSUPPORTED, why, "the driver only copies: set op: copy, or take the variant cuda");
    if (problem.non_temporal)
      return refuse(
          KS_UNSUPPORTED, why,
          "the driver chooses its stores itself: set non_temporal: false, or take the variant cuda");
    return KS_OK;
  }

  StreamMemcpy(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : StreamArrays(params, context, inputs) {}

  void start() { copy_on_device(z.address(), x.address(), z.bytes(), stream); }
};

}  // namespace

const ks_variant kStreamMemcpy = device_variant<StreamMemcpy>(
    "cuda_memcpy", "a GPU: the driver's copy, cuMemcpyDtoDAsync; op copy alone");

}  // namespace kernsweep::cuda
