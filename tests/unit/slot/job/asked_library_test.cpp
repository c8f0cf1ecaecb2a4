#include "worker/slot/job/library_settings.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

void expect_as_asked(const char* name, const char* value, const char* runtime) {
  EXPECT_EQ(library_difference(name, value, runtime), std::nullopt)
      << name << "=" << value << ": " << runtime;
}

TEST(AskedLibrary, ACoreTypeThatOpenBlasDidNotTake) {
  EXPECT_EQ(library_difference("OPENBLAS_CORETYPE", "Haswell", "OpenBLAS 0.3.21 core=SkylakeX threads=1"),
            "asked for the core type Haswell, the library chose SkylakeX");
  for (const char* runtime : {"OpenBLAS 0.3.21 core=HASWELL threads=1", "core=haswell", "OpenBLAS", "",
                              "score=Zen", "BLIS core=", "OpenBLAS file=/a core=Zen/x.so"})
    expect_as_asked("OPENBLAS_CORETYPE", "Haswell", runtime);
}

TEST(AskedLibrary, AnArchitectureThatBlisDidNotTake) {
  const char* const kSkx = "BLIS 0.9.0 arch=skx arch_id=0 threads=1 file=/lib/libblis.so";
  EXPECT_EQ(library_difference("BLIS_ARCH_TYPE", "haswell", kSkx),
            "asked for BLIS_ARCH_TYPE=haswell, the library chose skx")
      << "0.9.0 reads every name as 0";
  EXPECT_EQ(library_difference("BLIS_ARCH_TYPE", "3", kSkx),
            "asked for BLIS_ARCH_TYPE=3, the library chose skx (0)");
  EXPECT_EQ(library_difference("BLIS_ARCH_TYPE", "3x", kSkx),
            "asked for BLIS_ARCH_TYPE=3x, the library chose skx");
}

// Numbers are the library's own: what it calls number 3 is not asked here.
TEST(AskedLibrary, AnArchitectureThatBlisTookByNumberOrByName) {
  expect_as_asked("BLIS_ARCH_TYPE", "0", "BLIS 0.9.0 arch=skx arch_id=0 threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "3", "BLIS 0.9.0 arch=haswell arch_id=3 threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "6", "BLIS 0.9.0 arch=zen3 arch_id=6 threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "6", "AOCL-BLIS 4.1 arch=haswell arch_id=6 threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "Haswell", "BLIS 1.0 arch=haswell arch_id=3 threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "zen1", "AOCL-BLIS 4.1 arch=zen arch_id=9 threads=1");
}

TEST(AskedLibrary, WhereBlisDoesNotTellNothingIsSaid) {
  expect_as_asked("BLIS_ARCH_TYPE", "3", "BLIS 0.8 arch=skx threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "haswell", "BLIS 0.4 arch=unknown threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "3", "BLIS 0.9.0 arch=skx arch_id=? threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "haswell", "OpenBLAS 0.3.21 core=SkylakeX threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "-1", "BLIS 0.9.0 arch=skx arch_id=0 threads=1");
  expect_as_asked("BLIS_ARCH_TYPE", "avx2", "AOCL-BLIS 4.1 arch=zen3 arch_id=7 threads=1");
}

TEST(AskedLibrary, InstructionsAboveWhatOneDnnWasHeldTo) {
  const char* const kBf16 = "oneDNN 2.6.3 isa=avx512_core_bf16 threads=1 impl=brg:avx512_core_bf16";
  EXPECT_EQ(library_difference("ONEDNN_MAX_CPU_ISA", "AVX2", kBf16),
            "asked for ONEDNN_MAX_CPU_ISA=AVX2, the library chose avx512_core_bf16");
  EXPECT_EQ(library_difference("DNNL_MAX_CPU_ISA", "avx512_core_vnni", kBf16),
            "asked for DNNL_MAX_CPU_ISA=avx512_core_vnni, the library chose avx512_core_bf16");
  EXPECT_EQ(library_difference("ONEDNN_MAX_CPU_ISA", "AVX3", kBf16),
            "asked for ONEDNN_MAX_CPU_ISA=AVX3, which is not an instruction set of oneDNN; it chose "
            "avx512_core_bf16");
}

// A processor may have less than the bound allows.
TEST(AskedLibrary, InstructionsWithinTheBoundAreAsAsked) {
  for (const char* value : {"avx512_core_bf16", "AVX512_CORE_AMX", "all", "DEFAULT", "avx10_1_512"})
    expect_as_asked("ONEDNN_MAX_CPU_ISA", value, "oneDNN 2.6.3 isa=avx512_core_bf16 threads=1");
  expect_as_asked("ONEDNN_MAX_CPU_ISA", "sse41", "oneDNN 2.6.3 isa=sse41");
  expect_as_asked("ONEDNN_MAX_CPU_ISA", "avx2", "oneDNN 9.0 isa=not_known_yet");
  expect_as_asked("ONEDNN_MAX_CPU_ISA", "avx2", "oneDNN 2.6.3 isa=all");
  expect_as_asked("ONEDNN_MAX_CPU_ISA", "avx2", "blocked isa=avx512 threads=1");
  expect_as_asked("ONEDNN_MAX_CPU_ISA", "avx2", "");
}

TEST(AskedLibrary, OtherVariablesAreNotItsConcern) {
  expect_as_asked("OMP_WAIT_POLICY", "active", "oneDNN 2.6.3 isa=avx2 core=x arch=y arch_id=1");
}

TEST(AskedLibrary, ThreadsAreThoseOfTheRuntimeText) {
  EXPECT_EQ(threads_stated("OpenBLAS 0.3.21 core=Haswell threads=2 file=/x.so"), 2u);
  EXPECT_EQ(threads_stated("threads=1"), 1u);
  for (const char* runtime : {"", "threads=0", "threads=-1", "threads=", "threads=2x", "worker_threads=4",
                              "x file=/a threads=3/b.so"})
    EXPECT_EQ(threads_stated(runtime), std::nullopt) << runtime;
}

}  // namespace
}  // namespace kernsweep
