// Which kernels a library chose, and whether they fit the processor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/host/doctor/tree.hpp"
#include "worker/host/doctor/library_files.hpp"
#include "worker/host/doctor/library_fit.hpp"

namespace kernsweep {
namespace {

using testing::assessed;
using ::testing::ElementsAre;
using testing::Tree;

const std::set<std::string> kAvx2 = {"sse2", "avx", "avx2", "fma"};
const std::set<std::string> kAvx512 = {"sse2",    "avx",      "avx2",     "fma",
                                       "avx512f", "avx512dq", "avx512bw", "avx512vl"};

HostConditions host_with(const std::set<std::string>& instructions, const std::string& vendor,
                         const LibraryConditions& library) {
  HostConditions host;
  host.instructions = instructions;
  host.cpu_vendor = vendor;
  host.blas = {library};
  return host;
}

LibraryConditions telling(const std::string& runtime) {
  return {"libopenblas.so.0", {"libblas.so.3"}, runtime, "", {}};
}

TEST(ChosenKernels, AreReadFromWhatPacksTell) {
  const auto openblas =
      chosen_kernels("OpenBLAS 0.3.21 core=Prescott threads=1 file=/a b/libopenblas.so.0");
  EXPECT_EQ(openblas.make, "OpenBLAS 0.3.21");
  EXPECT_EQ(openblas.chosen, "Prescott");
  EXPECT_EQ(openblas.file, "/a b/libopenblas.so.0");
  EXPECT_EQ(openblas.level, VectorLevel::sse);
  const auto onednn = chosen_kernels("oneDNN 2.6.3 isa=avx512_core_bf16 threads=1 impl=brg:avx512_core");
  EXPECT_EQ(onednn.make, "oneDNN 2.6.3");
  EXPECT_EQ(onednn.level, VectorLevel::avx512_bf16);
  const auto unknown = chosen_kernels("CBLAS of unknown make file=/lib/libblas.so.3");
  EXPECT_EQ(unknown.make, "CBLAS of unknown make");
  EXPECT_EQ(unknown.chosen, "");
  EXPECT_FALSE(unknown.level);
  EXPECT_EQ(chosen_kernels("").make, "");
  EXPECT_FALSE(chosen_kernels("BLIS 9 arch=zen99 threads=1").level) << "newer than this table";
  EXPECT_EQ(chosen_kernels("BLIS 9 arch=unknown threads=1").chosen, "");
  EXPECT_EQ(chosen_kernels("a file=/x core=Prescott").chosen, "") << "a path is no answer";
}

TEST(VectorLevels, OfProcessors) {
  EXPECT_EQ(level_of_processor(kAvx2), VectorLevel::avx2);
  EXPECT_EQ(level_of_processor({"sse2", "avx", "avx2"}), VectorLevel::avx) << "AVX2 kernels need FMA too";
  EXPECT_EQ(level_of_processor(kAvx512), VectorLevel::avx512);
  EXPECT_EQ(level_of_processor({"sse2", "avx512f"}), VectorLevel::sse) << "kernel sets want all four parts";
  EXPECT_EQ(level_of_processor({"fp", "asimd", "sve"}), VectorLevel::sve);
  EXPECT_FALSE(level_of_processor({}));
}

TEST(VectorLevels, SixteenBitInstructionsMakeNoDifferenceToFloats) {
  EXPECT_FALSE(is_narrower(VectorLevel::avx512, VectorLevel::amx));
  EXPECT_TRUE(is_narrower(VectorLevel::avx2, VectorLevel::avx512));
  EXPECT_FALSE(is_narrower(VectorLevel::avx512, VectorLevel::avx2));
  EXPECT_TRUE(is_narrower(VectorLevel::neon, VectorLevel::sve));
  EXPECT_FALSE(is_narrower(VectorLevel::sse, VectorLevel::neon)) << "another family says nothing";
}

TEST(Blas, PrescottOnAnAvx512MachineIsBadAndTheSettingThatHelpsIsTold) {
  LibraryConditions library = telling("OpenBLAS 0.3.21 core=Prescott threads=1 file=/lib/x.so");
  library.tried = {{"OPENBLAS_CORETYPE", "Nonsense", "OpenBLAS 0.3.21 core=Prescott threads=1"},
                   {"OPENBLAS_CORETYPE", "SkylakeX", "OpenBLAS 0.3.21 core=SkylakeX threads=1"}};
  const Assessment is = assessed("library.blas", host_with(kAvx512, "GenuineIntel", library));
  EXPECT_EQ(is.verdict, Verdict::bad);
  EXPECT_THAT(is.found, IsGolden());
  EXPECT_THAT(is.remedy, IsGolden());
  EXPECT_EQ(is.values.at("set"), Value("OPENBLAS_CORETYPE=SkylakeX"));
  EXPECT_EQ(is.values.at("chosen"), Value("Prescott"));
}

TEST(Blas, ASettingThatWasTriedInVainIsNotAdvised) {
  LibraryConditions library = telling("OpenBLAS 0.3.21 core=Prescott threads=1 file=/lib/x.so");
  library.tried = {{"OPENBLAS_CORETYPE", "SkylakeX", "OpenBLAS 0.3.21 core=Prescott threads=1"},
                   {"OPENBLAS_CORETYPE", "Haswell", ""}};
  const Assessment is = assessed("library.blas", host_with(kAvx512, "GenuineIntel", library));
  EXPECT_EQ(is.verdict, Verdict::bad);
  EXPECT_FALSE(is.values.contains("set"));
  EXPECT_THAT(is.remedy, IsGolden());
}

TEST(Blas, OneStepBelowIsBadOnIntelAndANoteOnAmd) {
  const LibraryConditions zen3 = telling("BLIS 0.9.0 arch=zen3 threads=1 file=/lib/x.so");
  EXPECT_EQ(assessed("library.blas", host_with(kAvx512, "AuthenticAMD", zen3)).verdict, Verdict::note);
  EXPECT_EQ(assessed("library.blas", host_with(kAvx512, "GenuineIntel", zen3)).verdict, Verdict::bad);
  EXPECT_EQ(assessed("library.blas", host_with(kAvx2, "AuthenticAMD", zen3)).verdict, Verdict::good);
  const LibraryConditions prescott = telling("OpenBLAS 0.3.21 core=Prescott threads=1 file=/lib/x.so");
  EXPECT_EQ(assessed("library.blas", host_with(kAvx2, "AuthenticAMD", prescott)).verdict, Verdict::bad);
}

TEST(Blas, WhatCannotBeJudgedIsANoteAndWhatCrashesAWarning) {
  const LibraryConditions reference = telling("CBLAS of unknown make file=/lib/x.so");
  EXPECT_EQ(assessed("library.blas", host_with(kAvx2, "", reference)).verdict, Verdict::note);
  LibraryConditions wide{
      "libopenblas64.so.0", {}, "", "libopenblas64.so.0 is built with 64-bit integers", {}};
  EXPECT_EQ(assessed("library.blas", host_with(kAvx2, "", wide)).verdict, Verdict::note);
  LibraryConditions broken{"libblis.so.4", {}, "", "killed by SIGILL (illegal instruction)", {}};
  EXPECT_EQ(assessed("library.blas", host_with(kAvx2, "", broken)).verdict, Verdict::warning);
}

TEST(Blas, NoneAtAllIsAWarning) {
  EXPECT_EQ(assessed("library.blas", HostConditions{}).verdict, Verdict::warning);
}

TEST(OneDnn, IsJudgedByItsInstructions) {
  HostConditions host;
  host.instructions = kAvx512;
  host.instructions.insert("avx512_bf16");
  const auto verdict_of = [&](const std::string& runtime) {
    host.onednn = LibraryConditions{"oneDNN", {}, runtime, "", {}};
    return assessed("library.onednn", host).verdict;
  };
  EXPECT_EQ(verdict_of("oneDNN 2.6.3 isa=avx512_core_bf16 threads=1"), Verdict::good);
  EXPECT_EQ(verdict_of("oneDNN 2.6.3 isa=avx512_core threads=1"), Verdict::note) << "no bf16";
  EXPECT_EQ(verdict_of("oneDNN 2.6.3 isa=avx2 threads=1"), Verdict::bad);
  EXPECT_EQ(verdict_of(""), Verdict::note);
}

TEST(Settings, AreOfferedForMakesThatTakeThem) {
  const auto openblas = chosen_kernels("OpenBLAS 0.3.21 core=Prescott");
  EXPECT_EQ(better_settings(openblas, VectorLevel::avx512_bf16, false).front(),
            (std::pair<std::string, std::string>{"OPENBLAS_CORETYPE", "Cooperlake"}));
  EXPECT_EQ(better_settings(openblas, VectorLevel::avx2, true).front().second, "Zen");
  const auto blis = chosen_kernels("BLIS 0.9.0 arch=generic");
  EXPECT_EQ(better_settings(blis, VectorLevel::avx512, false).front(),
            (std::pair<std::string, std::string>{"BLIS_ARCH_TYPE", "0"}));
  EXPECT_TRUE(better_settings(chosen_kernels("oneDNN 2.6.3 isa=avx2"), VectorLevel::avx512, false).empty());
}

TEST(LibraryFiles, NamesOfCblasLibraries) {
  for (const char* name : {"libopenblas.so.0", "libopenblasp-r0.3.21.so", "libblis.so.4", "libblis-mt.so",
                           "libblas.so.3.11.0", "libmkl_rt.so", "libblas64.so.3"})
    EXPECT_TRUE(names_a_blas(name)) << name;
  for (const char* name : {"libblas.a", "libnvblas.so.13", "libblasfeo.so", "libblas", "libblas.sock", "",
                           "xlibblas.so", "libopenblas.software"})
    EXPECT_FALSE(names_a_blas(name)) << name;
}

TEST(LibraryFiles, FoldersAreThoseOfTheLoaderEachOnce) {
  Tree tree;
  tree.write("etc/ld.so.conf",
             "# comment\ninclude ld.so.conf.d/*.conf\ninclude /etc/ld.so.conf\n/opt/a # b\n");
  tree.write("etc/ld.so.conf.d/multi.conf", "/usr/lib/multi\n/missing\n");
  tree.write("etc/ld.so.conf.d/ignored.txt", "/opt/never\n");
  for (const char* folder : {"usr/lib/multi", "opt/a", "opt/never", "usr/lib", "mine"})
    tree.write(std::string(folder) + "/x", "");
  tree.link("lib", "usr/lib");
  const std::string root = tree.root();
  EXPECT_THAT(library_folders_under(root, root + "mine::" + root + "gone"),
              ElementsAre(root + "mine", root + "usr/lib/multi", root + "opt/a", root + "lib"));
}

TEST(LibraryFiles, LinksAreOneLibraryUnderTheNameThatLasts) {
  Tree tree;
  const std::string lib = "usr/lib/";
  tree.write(lib + "openblas-pthread/libopenblasp-r0.3.21.so", "a");
  tree.link(lib + "openblas-pthread/libopenblas.so.0", "libopenblasp-r0.3.21.so");
  tree.link(lib + "libopenblas.so.0", "openblas-pthread/libopenblas.so.0");
  tree.link(lib + "libopenblas.so", "libopenblas.so.0");
  tree.link(lib + "libblas.so.3", "openblas-pthread/libopenblas.so.0");
  tree.write(lib + "blas/libblas.so.3", "b");
  tree.write(lib + "python/libopenblas.so.0", "not looked into");
  const auto found = blas_files_in({tree.root() + "usr/lib"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "libblas.so.3");
  EXPECT_THAT(found[0].also, ElementsAre("libopenblas.so.0", "libopenblas.so"));
  EXPECT_EQ(found[1].name, tree.root() + lib + "blas/libblas.so.3")
      << "the loader does not find it by name";
}

TEST(LibraryFiles, TheFirstFolderOfTheLoaderWins) {
  Tree tree;
  tree.write("a/libblis.so.4", "1");
  tree.write("b/libblis.so.4", "2");
  const auto found = blas_files_in({tree.root() + "a", tree.root() + "b"});
  ASSERT_EQ(found.size(), 1U) << "nobody gets the second by that name";
  EXPECT_EQ(found[0].name, "libblis.so.4");
}

TEST(LibraryFiles, ADanglingLinkIsNoLibrary) {
  Tree tree;
  tree.link("a/libblas.so.3", "gone");
  EXPECT_TRUE(blas_files_in({tree.root() + "a", tree.root() + "missing"}).empty());
}

}  // namespace
}  // namespace kernsweep
