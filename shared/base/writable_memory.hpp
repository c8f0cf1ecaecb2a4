// Whether memory of this process is private and writable. Linux: reads /proc/self/maps. In the header,
// because packs link no library of the project.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace kernsweep {

// Whether the whole range is mapped for reading and writing, private to this process, and not on a stack:
// writes to it reach no file and no other process. False where that cannot be found out. Takes tens of
// microseconds.
inline bool is_writable(const void* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  std::uintptr_t covered = begin;  // up to here it is writable; mappings are listed by address
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                             std::fclose);
  if (!maps || bytes == 0) return false;
  std::array<char, 1024> line{};
  while (covered - begin < bytes && std::fgets(line.data(), line.size(), maps.get())) {
    std::uintptr_t from = 0, to = 0;
    std::array<char, 5> rights{};
    if (std::sscanf(line.data(), "%zx-%zx %4s", &from, &to, rights.data()) != 3 || to <= covered) continue;
    const bool writable = std::memcmp(rights.data(), "rw", 2) == 0 && rights[3] == 'p';
    if (from > covered || !writable || std::strstr(line.data(), "[stack]")) return false;
    covered = to;
  }
  return covered - begin >= bytes;
}

}  // namespace kernsweep
