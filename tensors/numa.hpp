// Chooses the NUMA node of pages, with two system calls, so that libnuma is not needed.
#pragma once

#include <cstdint>
#include <optional>

#include "shared/base/result.hpp"

namespace kernsweep {

// Places the pages of a mapping that do not exist yet on `node`, whichever thread touches them first.
// `begin` is the start of a page. On a host with one node it only checks the number. Errors: no such node,
// rejected by the kernel.
Status bind_to_node(void* begin, std::uint64_t bytes, int node);

// The highest node number of this host; 0 if there is only one node, or the number is not known.
int highest_node();

// The node of the page at `address`; nothing if the page does not exist yet or the system does not report
// it.
std::optional<int> node_of(const void* address);

}  // namespace kernsweep
