#include <array>

#include "kernels/cpu/stream/stream.hpp"
#include "kernels/cuda/stream/stream.hpp"

namespace kernsweep::cuda {
namespace {

const std::array kVariants = {&kStreamCuda, &kStreamMemcpy, &stream::kNaive};

}  // namespace

const ks_family kStreamFamily = stream::family_of(kVariants.data(), kVariants.size());

}  // namespace kernsweep::cuda
