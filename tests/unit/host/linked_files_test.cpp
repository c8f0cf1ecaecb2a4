#include "worker/host/linked_files.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace kernsweep {
namespace {

namespace files = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

class LinkedFiles : public testing::Test {
 protected:
  LinkedFiles() {
    std::string pattern = (files::temp_directory_path() / "kernsweep-linked-XXXXXX").string();
    if (!mkdtemp(pattern.data())) std::abort();
    folder_ = files::canonical(pattern).string() + "/";
  }
  ~LinkedFiles() override {
    std::error_code error;
    files::remove_all(folder_, error);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + name, std::ios::binary) << text;
    files::permissions(folder_ + name, files::perms::owner_all);
    return folder_ + name;
  }
  static std::string path_of(const std::string& name, const std::vector<LinkedFile>& all) {
    const auto found = std::ranges::find(all, name, &LinkedFile::name);
    return found == all.end() ? "" : found->path;
  }
  std::string folder_;
};

TEST_F(LinkedFiles, AreReadFromWhatTheDynamicLinkerPrints) {
  EXPECT_THAT(
      linked_files_in("\tlinux-vdso.so.1 (0x00007ffd4)\n"
                      "\t./pre load.so (0x00007f1)\n"
                      "\tlibk.so => /home/a b/libk.so (0x00007f2)\n"
                      "\tliblost.so => not found\n"
                      "\t/lib64/ld-linux-x86-64.so.2 => /lib64/ld.so (0x00007f3)\n"),
      ElementsAre(LinkedFile{"./pre load.so", "./pre load.so"}, LinkedFile{"libk.so", "/home/a b/libk.so"},
                  LinkedFile{"liblost.so", ""}, LinkedFile{"/lib64/ld-linux-x86-64.so.2", "/lib64/ld.so"}));
}

// A file names its linker itself, and a stranger may have written the file.
TEST_F(LinkedFiles, AreAskedOfNoLinkerThatTheFileBrings) {
  const std::string linker = write("ld-linux-x86-64.so.2", "#!/bin/sh\n: > " + folder_ + "started\n");
  struct {
    Elf64_Ehdr header;
    Elf64_Phdr part;
  } start{};
  std::memcpy(start.header.e_ident, ELFMAG, SELFMAG);
  start.header.e_ident[EI_CLASS] = ELFCLASS64;
  start.header.e_phoff = sizeof start.header;
  start.header.e_phentsize = sizeof start.part;
  start.header.e_phnum = 1;
  start.part.p_type = PT_INTERP;
  start.part.p_offset = sizeof start;
  start.part.p_filesz = linker.size() + 1;
  const std::string program =
      write("program", std::string(reinterpret_cast<const char*>(&start), sizeof start) + linker + '\0');
  EXPECT_THAT(linked_files(program, {}), IsEmpty());
  EXPECT_FALSE(files::exists(folder_ + "started"));
}

TEST_F(LinkedFiles, OfAProgramAreThoseThatItsEnvironmentLeadsTo) {
  const std::string self = files::canonical("/proc/self/exe").string();
  const std::string usual = path_of("libstdc++.so.6", linked_files(self, {}));
  ASSERT_NE(usual, "");
  files::copy_file(usual, folder_ + "libstdc++.so.6");
  EXPECT_EQ(path_of("libstdc++.so.6",
                    linked_files(self, {"LD_LIBRARY_PATH=" + folder_.substr(0, folder_.size() - 1)})),
            folder_ + "libstdc++.so.6");
  EXPECT_THAT(linked_files(self, {"LD_PRELOAD=" + folder_ + "libstdc++.so.6"}),
              Contains(Field(&LinkedFile::path, folder_ + "libstdc++.so.6")));
}

TEST_F(LinkedFiles, OfAProgramInAnotherFolderAreSoughtThere) {
  const std::string self = files::canonical("/proc/self/exe").string();
  files::create_directories(folder_ + "lib");
  files::copy_file(path_of("libstdc++.so.6", linked_files(self, {})), folder_ + "lib/libstdc++.so.6");
  EXPECT_EQ(path_of("libstdc++.so.6", linked_files(self, {"LD_LIBRARY_PATH=lib"}, folder_)),
            folder_ + "lib/libstdc++.so.6");
  const std::string script = write("a", "#!./own\n"), own = write("own", "no program");
  EXPECT_THAT(linked_files(script, {}, folder_), ElementsAre(LinkedFile{"./own", folder_ + "./own"}));
}

// Found in the program, which stays as long, its name is replaced by one that no folder has.
TEST_F(LinkedFiles, ThatAreNotThereAreNamed) {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(self), {}};
  const auto at = bytes.find(std::string("\0libstdc++.so.6\0", 16));
  ASSERT_NE(at, std::string::npos);
  const auto found = linked_files(write("m", bytes.replace(at + 1, 6, "libxxx")), {});
  EXPECT_THAT(found, Contains(LinkedFile{"libxxxc++.so.6", ""}));
  EXPECT_NE(path_of("libc.so.6", found), "") << "the others are found";
}

TEST_F(LinkedFiles, OfAScriptAreItsInterpretersAndTheirLibraries) {
  const std::string own = write("own", "no program");
  EXPECT_THAT(linked_files(write("a", "#!" + own + " -x\nrun\n"), {}), ElementsAre(LinkedFile{own, own}));
  EXPECT_THAT(
      linked_files(write("b", "#!" + folder_ + "env -S A=1 own\n"), {"PATH=" + folder_}),
      ElementsAre(LinkedFile{folder_ + "env", folder_ + "env"}, LinkedFile{"own", folder_ + "/own"}));
  const std::string self = files::canonical("/proc/self/exe").string();
  files::copy_file(path_of("libstdc++.so.6", linked_files(self, {})), folder_ + "libstdc++.so.6");
  const std::string set = "LD_LIBRARY_PATH=" + folder_.substr(0, folder_.size() - 1);
  EXPECT_EQ(path_of("libstdc++.so.6",
                    linked_files(write("d", "#!/usr/bin/env -S " + set + " " + self + "\n"), {})),
            folder_ + "libstdc++.so.6");
  EXPECT_NE(path_of("libc.so.6", linked_files(write("c", "#!/bin/sh\n"), {})), "");
}

TEST_F(LinkedFiles, OfDataAreNone) {
  EXPECT_THAT(linked_files(write("data", "numbers"), {}), IsEmpty());
  EXPECT_THAT(linked_files(write("short",
                                 "\x7f"
                                 "ELF"),
                           {}),
              IsEmpty());
  EXPECT_THAT(linked_files(folder_ + "none", {}), IsEmpty());
}

TEST(FilesOfTheSystem, AreThoseOfItsPackages) {
  EXPECT_TRUE(is_of_system("/usr/lib/libblas.so.3"));
  EXPECT_TRUE(is_of_system("/lib64/ld-linux-x86-64.so.2"));
  EXPECT_FALSE(is_of_system("/usr/local/lib/libk.so"));
  EXPECT_FALSE(is_of_system("./libk.so"));
}

}  // namespace
}  // namespace kernsweep
