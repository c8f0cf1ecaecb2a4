// The instructions of kernels/cuda/tensor_instructions.hpp, simulated on the host.
//
// Which element a register of a lane holds is written here from the PTX ISA's own words ("Matrix Fragments
// for mma.m16n8k16" and its kin: row and column as functions of groupID, threadID_in_group and i), not from
// what the kernels assume.
#pragma once

#include <cstdint>

#include "kernels/cuda/element_types.hpp"

namespace kernsweep::cuda {

using SharedAddress = std::uint32_t;

SharedAddress shared_address(const void* block_memory);
void begin_copy_16(SharedAddress to, const void* from, int bytes);
void end_copy_group();
void wait_for_all_but(int groups);
template <int kPending>
void wait_for_copies() {
  wait_for_all_but(kPending);
}
void store_shared_16(SharedAddress to, const std::uint32_t (&words)[4]);
std::uint32_t load_shared_4(SharedAddress from);
void load_matrices_as(bool transposed, std::uint32_t (&words)[4], SharedAddress row);
template <bool kTransposed>
void load_matrices(std::uint32_t (&words)[4], SharedAddress row) {
  load_matrices_as(kTransposed, words, row);
}
template <class T>
T* computed_here(T* address) {
  return address;
}
std::uint32_t tf32_bits_of(std::uint32_t f32_bits);

void multiply_add(Bf16, float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1);
void multiply_add(F16, float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1);
void multiply_add(Tf32, float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1);
void multiply_add(std::int8_t, std::int32_t (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                  std::uint32_t b1);

}  // namespace kernsweep::cuda
