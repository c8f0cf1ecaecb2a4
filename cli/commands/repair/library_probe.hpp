// Finds the properties of this host's libraries. Each library is loaded in a slot process of its own with
// exactly the environment of a slot, so the answer is what a job would get. A library that crashes, hangs
// or prints only affects its own answer.
#pragma once

#include <vector>

#include "worker/host/doctor/conditions.hpp"
#include "worker/host/doctor/library_files.hpp"

namespace kernsweep {

// Fills `blas` (one entry per library file, as the libraries report it) and `onednn` of `host`. If a
// library uses narrower vectors than the processor has, settings that could help are tried, too. If no pack
// has the family gemm, all entries have this as their reason.
void ask_libraries(const std::vector<LibraryFile>& files, HostConditions& host);

}  // namespace kernsweep
