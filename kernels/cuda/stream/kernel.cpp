// STREAM by our own kernel.
#include <fmt/format.h>

#include <string>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/stream/arrays.hpp"
#include "kernels/cuda/stream/stream.hpp"
#include "kernels/cuda/stream/stream_kernels.hpp"

namespace kernsweep::cuda {
namespace {

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
  struct Settings {
    std::int64_t block = 256;
    static auto params() {
      return std::vector{
          pack::param<&Settings::block>({.name = "block",
                                         .summary = "threads per block, a multiple of 32 up to 1024",
                                         .fallback = "256",
                                         .setting = true})};
    }
    void check() const {
      if (block < 32 || block > 1024 || block % 32 != 0)
        throw Failure(
            KS_BAD_PARAMETER,
            fmt::format("block is {}; it must be a multiple of 32 from 32 to 1024 threads", block));
    }
  };

  StreamKernel(const Problem& given, const Settings& settings, pack::Setup& setup)
      : StreamArrays(given, setup),
        module_(loaded(kernsweep_fatbin_stream)),
        kernel_(module_.kernel<StreamArguments>(kernel_name(problem).c_str())) {
    const std::int64_t lanes = 16 / problem.element_bytes();
    grid_ = grid_for((problem.n + lanes - 1) / lanes, static_cast<unsigned>(settings.block), device);
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

pack::Variant stream_cuda() {
  return device_variant<StreamKernel>(
      "cuda", "a GPU: loads and stores of 16 bytes, each thread advances by the size of the grid");
}

}  // namespace kernsweep::cuda
