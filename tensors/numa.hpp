// Chooses the NUMA node of pages, with two system calls, so that libnuma is not needed.
#pragma once

#include <cstdint>
#include <optional>

#include "shared/base/result.hpp"

namespace kernsweep {

// The pages of a mapping that do not exist yet will lie on `node`, whoever touches them first. `begin` is
// the start of a page. On a host with one node: checks the number, no more. Errors: no such node, refused
// by the kernel.
Status bind_to_node(void* begin, std::uint64_t bytes, int node);

// The highest node number of this host; 0 where there is only one node.
int highest_node();

// The node on which the page that holds `address` lies; nothing when it does not exist yet or cannot be
// known.
std::optional<int> node_of(const void* address);

}  // namespace kernsweep
