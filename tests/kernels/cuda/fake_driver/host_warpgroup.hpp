// The instructions of kernels/cuda/warpgroup_instructions.hpp, simulated on the host: operands are found by
// what their descriptors say, and swizzled by the bits of their addresses, as the PTX ISA has it.
#pragma once

#include <cstdint>

#include "kernels/cuda/element_types.hpp"

namespace kernsweep::cuda {

void publish_to_tensor_cores();
void begin_products();
void end_products();
void wait_for_products_but(int pending);
template <int kPending>
void wait_for_products() {
  wait_for_products_but(kPending);
}
void keep_in_place(float (&c)[64]);

void add_product(Bf16, float (&c)[64], std::uint64_t a, std::uint64_t b);
void add_product(F16, float (&c)[64], std::uint64_t a, std::uint64_t b);

}  // namespace kernsweep::cuda
