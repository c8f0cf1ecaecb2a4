// The pack of convolutions: the forward one and its two gradients.
#include "kernels/cpu/conv2d/backward/families.hpp"
#include "kernels/cpu/conv2d/variants.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace conv2d = kernsweep::conv2d;

KERNSWEEP_PACK("conv2d", KERNSWEEP_PACK_VERSION,
               conv2d::family_of(conv2d::vectorised(), conv2d::im2col(), conv2d::onednn()),
               conv2d::backward::data_family(), conv2d::backward::weights_family())
