#include "worker/host/elf_notes.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <vector>

namespace kernsweep {
namespace {

constexpr std::size_t kNotesMost = std::size_t{64} << 10;
constexpr std::size_t kPartsMost = 1000;

class RegularFile {
 public:
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  explicit RegularFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  ~RegularFile() {
    if (fd_ >= 0) close(fd_);
  }

  explicit operator bool() const {
    struct stat state;
    return fd_ >= 0 && fstat(fd_, &state) == 0 && S_ISREG(state.st_mode);
  }

  template <class Value>
  bool read_at(std::uint64_t at, Value* values, std::size_t count) const {
    const auto got = pread(fd_, values, count * sizeof(Value), static_cast<off_t>(at));
    return got == static_cast<ssize_t>(count * sizeof(Value));
  }

 private:
  int fd_;
};

bool is_for_this_machine(const Elf64_Ehdr& head) {
  constexpr unsigned char kOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_ident[EI_DATA] == kOrder && head.e_phentsize == sizeof(Elf64_Phdr) &&
         head.e_phnum <= kPartsMost;
}

}  // namespace

std::optional<std::string_view> note_in(std::string_view notes, std::size_t align, std::string_view name,
                                        std::uint32_t type) {
  const auto padded = [&](std::uint64_t size) { return (size + align - 1) / align * align; };
  for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    const std::uint64_t named = at + sizeof note;
    const std::uint64_t content = at + padded(sizeof note + std::uint64_t{note.n_namesz});
    if (content > notes.size() || note.n_descsz > notes.size() - content) return std::nullopt;
    // The size of the name counts the zero at its end.
    if (note.n_type == type && note.n_namesz == name.size() + 1 &&
        notes.substr(named, name.size()) == name && notes[named + name.size()] == '\0')
      return notes.substr(content, note.n_descsz);
    at = content + padded(note.n_descsz);
  }
  return std::nullopt;
}

std::optional<std::string> note_of_file(const std::string& path, std::string_view name,
                                        std::uint32_t type) {
  const RegularFile file(path);
  Elf64_Ehdr head;
  if (!file || !file.read_at(0, &head, 1) || !is_for_this_machine(head)) return std::nullopt;
  std::vector<Elf64_Phdr> parts(head.e_phnum);
  if (!file.read_at(head.e_phoff, parts.data(), parts.size())) return std::nullopt;
  for (const Elf64_Phdr& part : parts) {
    if (part.p_type != PT_NOTE || part.p_filesz > kNotesMost) continue;
    std::string notes(part.p_filesz, '\0');
    if (!file.read_at(part.p_offset, notes.data(), notes.size())) return std::nullopt;
    if (const auto found = note_in(notes, part.p_align == 8 ? 8 : 4, name, type))
      return std::string(*found);
  }
  return std::nullopt;
}

}  // namespace kernsweep
