#include <array>

#include "kernels/cpu/roof/roof.hpp"
#include "kernels/cuda/roof/roof.hpp"

namespace kernsweep::cuda {
namespace {

const std::array kVariants = {&kRoofCuda, &roof::kExpected};

}  // namespace

const ks_family kRoofFamily = roof::family_of(kVariants.data(), kVariants.size());

}  // namespace kernsweep::cuda
