#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "tensors/numa.hpp"

namespace kernsweep {
namespace {

constexpr int kNodesMax = 1024;
constexpr int kWordBits = CHAR_BIT * sizeof(unsigned long);

}  // namespace

int highest_node() {
  // "0", "0-1" or "0,2-3": the last number is the highest.
  std::ifstream file("/sys/devices/system/node/online");
  std::string list;
  if (!std::getline(file, list)) return 0;
  const auto last = list.find_last_of(",-");
  int node = 0;
  for (const char c : list.substr(last == std::string::npos ? 0 : last + 1)) {
    if (c < '0' || c > '9' || node >= kNodesMax) return 0;
    node = 10 * node + (c - '0');
  }
  return node;
}

Status bind_to_node(void* begin, std::uint64_t bytes, int node) {
  const int highest = highest_node();
  if (node < 0 || node > highest || node >= kNodesMax)
    return failure(fmt::format("NUMA node {}: this host has nodes 0 to {}", node, highest));
  if (highest == 0) return Done{};
  std::array<unsigned long, kNodesMax / kWordBits> mask{};
  mask[static_cast<std::size_t>(node / kWordBits)] = 1UL << (node % kWordBits);
  // The kernel reads one bit less than the number that it is given.
  if (syscall(SYS_mbind, begin, bytes, MPOL_BIND, mask.data(), kNodesMax + 1UL, 0U) != 0)
    return failure(fmt::format("NUMA node {}: the kernel refused to place a tensor there: {}", node,
                               std::strerror(errno)));
  return Done{};
}

std::optional<int> node_of(const void* address) {
  int node = -1;
  const auto where = reinterpret_cast<unsigned long>(address);
  if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, where, MPOL_F_NODE | MPOL_F_ADDR) != 0 || node < 0)
    return std::nullopt;
  return node;
}

}  // namespace kernsweep
