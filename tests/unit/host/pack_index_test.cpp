#include "worker/host/pack_index.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "shared/base/installation.hpp"
#include "tests/golden_text/places.hpp"
#include "worker/host/elf_notes.hpp"

namespace kernsweep {
namespace {

const std::string kPacks = build_folder() + "/lib/kernsweep/packs";

template <class Value>
Value value_at(const std::string& bytes, std::uint64_t at) {
  Value value;
  std::memcpy(&value, bytes.substr(at, sizeof value).data(), sizeof value);
  return value;
}

// Names and types of all notes of the file. Each note must end where the next one or the segment does.
std::set<std::pair<std::string, std::uint32_t>> notes_of(const std::string& path) {
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto head = value_at<Elf64_Ehdr>(bytes, 0);
  std::set<std::pair<std::string, std::uint32_t>> found;
  for (std::size_t i = 0; i < head.e_phnum; ++i) {
    const auto part = value_at<Elf64_Phdr>(bytes, head.e_phoff + i * sizeof(Elf64_Phdr));
    if (part.p_type != PT_NOTE) continue;
    const std::uint64_t align = part.p_align == 8 ? 8 : 4, end = part.p_offset + part.p_filesz;
    const auto padded = [&](std::uint64_t size) { return (size + align - 1) / align * align; };
    std::uint64_t at = part.p_offset;
    while (at + sizeof(Elf64_Nhdr) <= end) {
      const auto note = value_at<Elf64_Nhdr>(bytes, at);
      found.emplace(bytes.substr(at + sizeof note, note.n_namesz - 1), note.n_type);
      at += padded(sizeof note + note.n_namesz) + padded(note.n_descsz);
    }
    EXPECT_EQ(at, end) << path << ": the last note does not end with its segment";
  }
  return found;
}

TEST(PackIndex, EachInstalledPackHasWholeNotes) {
  for (const std::string& pack : pack_files({kPacks})) {
    const auto notes = notes_of(pack);
    EXPECT_TRUE(notes.contains({"Kernsweep", 1})) << pack;
    EXPECT_TRUE(notes.contains({"GNU", NT_GNU_BUILD_ID})) << pack;
    const auto id = note_of_file(pack, "GNU", NT_GNU_BUILD_ID);
    ASSERT_TRUE(id) << pack;
    EXPECT_GE(id->size(), 16U) << pack;
  }
}

TEST(PackIndex, EachInstalledPackHasOne) {
  const auto packs = pack_files({kPacks});
  ASSERT_FALSE(packs.empty());
  for (const std::string& pack : packs) {
    const auto families = indexed_families(pack);
    ASSERT_TRUE(families) << pack;
    EXPECT_FALSE(families->empty()) << pack;
  }
}

TEST(PackIndex, NamesTheFamiliesOfThePack) {
  EXPECT_THAT(indexed_families(kPacks + "/noop.so"), testing::Optional(testing::ElementsAre("noop")));
  EXPECT_TRUE(may_have_family(kPacks + "/memory_bound.so", "softmax"));
  EXPECT_FALSE(may_have_family(kPacks + "/memory_bound.so", "gemm"));
  EXPECT_FALSE(may_have_family(kPacks + "/noop.so", "noo"));
}

TEST(PackIndex, AFileWithoutOneMayHaveAnyFamily) {
  EXPECT_EQ(indexed_families("/proc/self/exe"), std::nullopt);
  EXPECT_TRUE(may_have_family("/proc/self/exe", "gemm"));
  EXPECT_TRUE(may_have_family("/nowhere.so", "gemm")) << "opening it says what is wrong";
}

}  // namespace
}  // namespace kernsweep
