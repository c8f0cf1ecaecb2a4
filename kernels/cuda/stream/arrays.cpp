#include "kernels/cuda/stream/arrays.hpp"

namespace kernsweep::cuda {

StreamArrays::StreamArrays(const Problem& given, pack::Setup& setup)
    : problem(given),
      result(setup.output_of(given.dtype, {given.n})),
      x(result.size(), memory),
      y(stream::inputs_of(given.op) == 2 ? result.size() : 0, memory),
      z(result.size(), memory) {
  copy_to_device(x.address(), setup.tensor(0).data, x.bytes(), stream);
  if (y.bytes() > 0) copy_to_device(y.address(), setup.tensor(1).data, y.bytes(), stream);
  stream.synchronize();
}

ks_tensor StreamArrays::output() const {
  copy_to_host(result.data(), z.address(), z.bytes(), stream);
  stream.synchronize();
  return pack::dense(result.data(), problem.dtype, {problem.n});
}

}  // namespace kernsweep::cuda
