// STREAM by our own kernel.
#include <fmt/format.h>

#include <array>
#include <string>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/stream/arrays.hpp"
#include "kernels/cuda/stream/stream.hpp"
#include "kernels/cuda/stream/stream_kernels.hpp"

namespace kernsweep::cuda {
namespace {

constexpr std::int64_t kBlockDefault = 256;

const std::array kParams = {
    ks_param_doc{"block", KS_INTEGER, "256", nullptr, "threads per block, a multiple of 32 up to 1024"},
};

std::string kernel_name(const stream::Problem& problem) {
  const char* op = problem.op == stream::Op::copy    ? "copy"
                   : problem.op == stream::Op::scale ? "scale"
                   : problem.op == stream::Op::add   ? "add"
                                                     : "triad";
  return fmt::format("stream_{}_{}{}", op, problem.dtype == KS_F64 ? "f64" : "f32",
                     problem.non_temporal ? "_past" : "");
}

class StreamKernel : public StreamArrays {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    stream::Problem problem;
    if (const ks_status status = stream::parse(params, problem, why); status != KS_OK) return status;
    const Params point(params);
    if (const ks_status status = point.check(kParams.data(), kParams.size(), why); status != KS_OK)
      return status;
    const std::int64_t block = point.integer("block", kBlockDefault);
    if (block >= 32 && block <= 1024 && block % 32 == 0) return KS_OK;
    return refuse(KS_BAD_PARAMETER, why,
                  fmt::format("block is {}; it must be a multiple of 32 from 32 to 1024 threads", block));
  }

  StreamKernel(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : StreamArrays(params, context, inputs),
        module_(loaded(kernsweep_fatbin_stream)),
        kernel_(module_.kernel<StreamArguments>(kernel_name(problem).c_str())) {
    const std::int64_t lanes = 16 / stream::element_bytes(problem.dtype);
    const auto block = static_cast<unsigned>(Params(params).integer("block", kBlockDefault));
    grid_ = grid_for((problem.n + lanes - 1) / lanes, block, device);
  }

  void start() {
    if (problem.n > 0) launch(kernel_, grid_, stream, {x.address(), y.address(), z.address(), problem.n});
  }

 private:
  const Module& module_;
  Kernel<StreamArguments> kernel_;
  Grid grid_;
};

}  // namespace

const ks_variant kStreamCuda = device_variant<StreamKernel>(
    "cuda", "a GPU: loads and stores of 16 bytes, each thread goes on by the size of the grid",
    kParams.data(), kParams.size());

}  // namespace kernsweep::cuda
