// For sources that ks_pack compiles once for each instruction set (LOOPS in cmake/rooms.cmake), which
// defines
//   KERNSWEEP_SET            Baseline, Avx2 or Avx512
//   KERNSWEEP_ISA            "baseline", "avx2" or "avx512f"
//   KERNSWEEP_VECTOR_BYTES   the size of a vector register: 16, 32 or 64
// All their content except one table is in an unnamed namespace, and they include no other code: the linker
// must not share functions that were compiled for different sets.
#pragma once

#define KERNSWEEP_JOINED_(left, right) left##right
#define KERNSWEEP_JOINED(left, right) KERNSWEEP_JOINED_(left, right)
#define KERNSWEEP_OF_ISA(name) KERNSWEEP_JOINED(name, KERNSWEEP_SET)  // kLoops -> kLoopsAvx2
