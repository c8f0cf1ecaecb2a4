// PTX instructions for kernels on tensor cores: asynchronous copies, loads of matrices from shared memory
// into registers, and products of such matrices. For .cu files only, compute capability 8.0 and later; a
// compiler of the host gets the same names from the simulated GPU
// (tests/kernels/cuda/fake_driver/host_tensor.hpp, which has the layouts of the fragments).
//
// Source: "PTX ISA", 9.0, sections cp.async, ldmatrix, and "Matrix Fragments for mma". With g = lane / 4
// and t = lane % 4, in all types that are used here the registers of a thread hold 4 neighbouring bytes
// along k:
//   A, 16 x 32 bytes:  a[0] row g, bytes 4t;  a[1] row g + 8;  a[2] row g, bytes 16 + 4t;  a[3] row g + 8
//   B, 32 bytes x 8:   b[0] column g, bytes 4t;  b[1] bytes 16 + 4t
//   C, 16 x 8:         c[0], c[1] row g, columns 2t, 2t + 1;  c[2], c[3] row g + 8
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include "kernels/cuda/element_types.hpp"

namespace kernsweep::cuda {

using SharedAddress = std::uint32_t;

__device__ inline SharedAddress shared_address(const void* block_memory) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(block_memory));
}

// Begins to copy 16 bytes from global memory, both addresses aligned to 16. Only the first `bytes` are
// read; zeros are written for the others.
__device__ inline void begin_copy_16(SharedAddress to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// The copies that this thread has begun since the last call form one group.
__device__ inline void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all but the last `kPending` groups of this thread are complete.
template <int kPending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

__device__ inline void store_shared_16(SharedAddress to, const std::uint32_t (&words)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words[0]), "r"(words[1]),
               "r"(words[2]), "r"(words[3])
               : "memory");
}

__device__ inline std::uint32_t load_shared_4(SharedAddress from) {
  std::uint32_t word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(from));
  return word;
}

// Loads four matrices of 8 rows of 16 bytes; lane 8 i + r gives the address of row r of matrix i. words[i]
// then has the 4 bytes 4t of row g of matrix i, or, transposed, 2-byte elements (2t, g), (2t + 1, g).
template <bool kTransposed>
__device__ inline void load_matrices(std::uint32_t (&words)[4], SharedAddress row) {
  if constexpr (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(row));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(row));
  }
}

// The same address, hidden from the compiler, which would otherwise compute the addresses of a whole loop
// early and keep them in registers.
template <class T>
__device__ inline T* computed_here(T* address) {
  asm volatile("" : "+l"(address));
  return address;
}

// An f32 rounded to 10 bits of fraction, to nearest, ties away from zero.
__device__ inline std::uint32_t tf32_bits_of(std::uint32_t f32_bits) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(__uint_as_float(f32_bits)));
  return bits;
}

#define KERNSWEEP_MULTIPLY_ADD(Element, Sum, instruction, constraint)                                     \
  __device__ inline void multiply_add(Element, Sum(&c)[4], const std::uint32_t(&a)[4], std::uint32_t b0,  \
                                      std::uint32_t b1) {                                                 \
    asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"           \
                 : "+" constraint(c[0]), "+" constraint(c[1]), "+" constraint(c[2]), "+" constraint(c[3]) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                         \
  }

KERNSWEEP_MULTIPLY_ADD(Bf16, float, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "f")
KERNSWEEP_MULTIPLY_ADD(F16, float, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f")
KERNSWEEP_MULTIPLY_ADD(Tf32, float, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "f")
KERNSWEEP_MULTIPLY_ADD(std::int8_t, std::int32_t, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "r")
#undef KERNSWEEP_MULTIPLY_ADD

}  // namespace kernsweep::cuda

#endif
