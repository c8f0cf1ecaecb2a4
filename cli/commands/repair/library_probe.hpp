// Asks the libraries of this host what they are. None is opened here: each answers in a slot process of its
// own, with exactly the environment of a slot, so what is told is what a job would get, and a library that
// crashes, hangs or prints costs its own line.
#pragma once

#include <vector>

#include "worker/host/doctor/conditions.hpp"
#include "worker/host/doctor/library_files.hpp"

namespace kernsweep {

// Fills `blas` (one entry for each file that the libraries themselves tell apart) and `onednn`. Where a
// library has chosen narrower vectors than the processor of `host` has, the settings that could help are
// tried too. Without a pack of matrix products, the reasons say so.
void ask_libraries(const std::vector<LibraryFile>& files, HostConditions& host);

}  // namespace kernsweep
