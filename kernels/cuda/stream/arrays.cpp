#include "kernels/cuda/stream/arrays.hpp"

namespace kernsweep::cuda {

StreamArrays::StreamArrays(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
    : problem(read_checked(stream::parse, params)),
      x(bytes(), memory),
      y(stream::inputs_of(problem.op) == 2 ? bytes() : 0, memory),
      z(bytes(), memory),
      result(host_memory(context, bytes())) {
  copy_to_device(x.address(), inputs[0].data, x.bytes(), stream);
  if (y.bytes() > 0) copy_to_device(y.address(), inputs[1].data, y.bytes(), stream);
  stream.synchronize();
}

void StreamArrays::output(ks_tensor& out) {
  copy_to_host(result, z.address(), z.bytes(), stream);
  stream.synchronize();
  view_of(result, problem.dtype, problem.n, out);
}

std::size_t StreamArrays::bytes() const {
  return static_cast<std::size_t>(problem.n * stream::element_bytes(problem.dtype));
}

}  // namespace kernsweep::cuda
