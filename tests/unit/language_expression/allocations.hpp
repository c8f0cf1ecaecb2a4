// How often this program has asked for memory: allocations.cpp replaces operator new.
#pragma once

namespace kernsweep::testing {

long allocations();

}  // namespace kernsweep::testing
