#include "worker/host/elf_notes.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace kernsweep {
namespace {

std::string note(std::uint32_t name_bytes, std::uint32_t content_bytes, std::uint32_t type,
                 const std::string& rest) {
  std::string out(12, '\0');
  std::memcpy(out.data(), &name_bytes, 4);
  std::memcpy(out.data() + 4, &content_bytes, 4);
  std::memcpy(out.data() + 8, &type, 4);
  return out + rest;
}

using namespace std::string_literals;

TEST(ElfNotes, TheNoteWithTheNameAndTheTypeIsFoundAmongOthers) {
  const std::string notes =
      note(4, 5, 3, "GNU\0five!\0\0\0"s) + note(4, 3, 7, "GNU\0abc\0"s) + note(3, 3, 7, "KS\0\0def\0"s);
  EXPECT_EQ(note_in(notes, 4, "GNU", 3), "five!");
  EXPECT_EQ(note_in(notes, 4, "GNU", 7), "abc");
  EXPECT_EQ(note_in(notes, 4, "KS", 7), "def");
  EXPECT_EQ(note_in(notes, 4, "KS", 3), std::nullopt);
  EXPECT_EQ(note_in(notes, 4, "K", 7), std::nullopt);
}

TEST(ElfNotes, PartsMayEndAtMultiplesOfEight) {
  const std::string notes = note(4, 4, 5, "GNU\0four\0\0\0\0"s) + note(4, 1, 1, "GNU\0x\0\0\0\0\0\0\0"s);
  EXPECT_EQ(note_in(notes, 8, "GNU", 5), "four");
  EXPECT_EQ(note_in(notes, 8, "GNU", 1), "x");
}

TEST(ElfNotes, DamagedNotesHaveNothing) {
  const std::string whole = note(4, 4, 3, "GNU\0four"s);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(note_in(whole.substr(0, size), 4, "GNU", 3), std::nullopt) << size;
  EXPECT_EQ(note_in(note(0xffffffff, 4, 3, "GNU\0four"s), 4, "GNU", 3), std::nullopt);
  EXPECT_EQ(note_in(note(4, 0xffffffff, 3, "GNU\0four"s), 4, "GNU", 3), std::nullopt);
}

TEST(ElfNotes, AFileThatIsNoObjectHasNone) {
  const auto path =
      std::filesystem::temp_directory_path() / ("kernsweep-notes-" + std::to_string(getpid()));
  std::ifstream program("/proc/self/exe", std::ios::binary);
  std::string bytes(4096, '\0');
  program.read(bytes.data(), 4096);
  EXPECT_TRUE(note_of_file("/proc/self/exe", "GNU", 3)) << "the build id of this program";
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{63}, std::size_t{100}}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    EXPECT_EQ(note_of_file(path.string(), "GNU", 3), std::nullopt) << size;
  }
  std::string wrong = bytes;
  std::memset(wrong.data() + 32, 0xff, 8);  // where the table of segments is
  std::ofstream(path, std::ios::binary) << wrong;
  EXPECT_EQ(note_of_file(path.string(), "GNU", 3), std::nullopt);
  std::filesystem::remove(path);
  EXPECT_EQ(note_of_file(path.string(), "GNU", 3), std::nullopt) << "there is no such file";
  EXPECT_EQ(note_of_file("/", "GNU", 3), std::nullopt) << "a folder";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(note_of_file(path.string(), "GNU", 3), std::nullopt) << "no writer is waited for";
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kernsweep
