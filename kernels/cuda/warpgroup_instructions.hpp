// Products of a warpgroup (four warps) on tensor cores of Hopper (compute capability 9.0 only). Operands
// are tiles in shared memory, given by descriptors; sums are registers; products are asynchronous. For .cu
// files only; a compiler of the host gets the same names from the simulated GPU
// (tests/kernels/cuda/fake_driver/host_warpgroup.hpp).
//
// Source: "PTX ISA", 9.0, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". Both
// operands lie along k, 128 bytes a row, in the order that is called 128-byte swizzling: piece p of 16
// bytes of row r at p xor (r mod 8), the tile at a multiple of 1024 bytes. Thread t of the warpgroup has of
// C, 64 x 128, in c[i] row 16 (t / 32) + t % 32 / 4 + 8 (i / 2 % 2) and column 8 (i / 4) + 2 (t % 4) + i
// % 2.
#pragma once

#include <cstdint>

namespace kernsweep::cuda {

// The descriptor of an operand's tile: its address and the distance of 8 rows, both without their last 4
// bits; 1 in bits 62 and 63 selects the order above, for which the other distance is not used.
constexpr std::uint64_t warpgroup_operand(std::uint32_t shared_address) {
  constexpr std::uint64_t kEightRows = 8 * 128 / 16;
  return std::uint64_t{1} << 62 | kEightRows << 32 | std::uint64_t{1} << 16 |
         (shared_address & 0x3ffff) >> 4;
}

}  // namespace kernsweep::cuda

#if defined(__CUDACC__)

#include "kernels/cuda/element_types.hpp"

namespace kernsweep::cuda {

// Makes shared memory that this thread has written, completed copies included, readable for tensor cores
// after the next wait of the block.
__device__ inline void publish_to_tensor_cores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Must be called before the first product after registers of sums were written.
__device__ inline void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits for all but the last `kPending` groups; each was started between begin_products and end_products.
template <int kPending>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
// For sums that a product may still write, or has written: the compiler does not copy them across this
// call.
__device__ inline void keep_in_place(float (&c)[64]) {
  KERNSWEEP_UNROLL
  for (int i = 0; i < 64; ++i) asm volatile("" : "+f"(c[i])::"memory");
}

// c += A B of 64 x 16 and 16 x 128 elements.
#define KERNSWEEP_WARPGROUP_ADD(Element, name)                                                            \
  __device__ inline void add_product(Element, float(&c)[64], std::uint64_t a, std::uint64_t b) {          \
    asm volatile(                                                                                         \
        "{wgmma.mma_async.sync.aligned.m64n128k16.f32." name "." name                                     \
        " {"                                                                                              \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "           \
        "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "           \
        "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "           \
        "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "                                        \
        " %64, %65, 1, 1, 1, 0, 0;}"                                                                      \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), \
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]),        \
          "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]),      \
          "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]),      \
          "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]),      \
          "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]),      \
          "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]),      \
          "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]),      \
          "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])       \
        : "l"(a), "l"(b));                                                                                \
  }

KERNSWEEP_WARPGROUP_ADD(Bf16, "bf16")
KERNSWEEP_WARPGROUP_ADD(F16, "f16")
#undef KERNSWEEP_WARPGROUP_ADD

}  // namespace kernsweep::cuda

#endif
