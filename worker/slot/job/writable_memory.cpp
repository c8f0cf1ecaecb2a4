#include "worker/slot/job/writable_memory.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace kernsweep {

bool is_writable(const void* memory, std::size_t bytes) {
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
    const bool writable = rights[0] == 'r' && rights[1] == 'w' && !std::strstr(line.data(), "[stack]");
    if (from > covered || !writable) return false;
    covered = to;
  }
  return covered - begin >= bytes;
}

}  // namespace kernsweep
