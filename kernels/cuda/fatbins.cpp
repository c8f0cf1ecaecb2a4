// The fat binaries as data. The assembler reads them: as an array in C++ a compiler takes a hundred times
// as long. KERNSWEEP_FATBIN_FOLDER is where the build has put them.
#include "kernels/cuda/fatbins.hpp"

// The driver asks for an alignment of 8; a fat binary says itself how long it is.
#define KERNSWEEP_FATBIN(name)                       \
  __asm__(                                           \
      ".pushsection .rodata\n"                       \
      ".balign 64\n"                                 \
      ".globl kernsweep_fatbin_" #name               \
      "\n"                                           \
      ".hidden kernsweep_fatbin_" #name              \
      "\n"                                           \
      ".type kernsweep_fatbin_" #name                \
      ", %object\n"                                  \
      "kernsweep_fatbin_" #name                      \
      ":\n"                                          \
      ".incbin \"" KERNSWEEP_FATBIN_FOLDER "/" #name \
      ".fatbin\"\n"                                  \
      ".popsection\n")

KERNSWEEP_FATBIN(conv2d_direct);
KERNSWEEP_FATBIN(conv2d_implicit_gemm);
KERNSWEEP_FATBIN(gemm_naive);
KERNSWEEP_FATBIN(gemm_tensor_bf16);
KERNSWEEP_FATBIN(gemm_tensor_f16);
KERNSWEEP_FATBIN(gemm_tensor_s8);
KERNSWEEP_FATBIN(gemm_tensor_tf32);
KERNSWEEP_FATBIN(gemm_tiled_bf16);
KERNSWEEP_FATBIN(gemm_tiled_f16);
KERNSWEEP_FATBIN(gemm_tiled_f32);
KERNSWEEP_FATBIN(gemm_tiled_f64);
KERNSWEEP_FATBIN(gemm_tiled_s8);
KERNSWEEP_FATBIN(gemm_wgmma);
KERNSWEEP_FATBIN(launch);
KERNSWEEP_FATBIN(memory);
KERNSWEEP_FATBIN(philox);
KERNSWEEP_FATBIN(roof);
KERNSWEEP_FATBIN(stream);
KERNSWEEP_FATBIN(transfer);
