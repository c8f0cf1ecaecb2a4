// Makes the sample of an output (shared/base/output_sample.hpp). The output is read twice, in place; the
// sample needs no more memory than the text of a program.
#pragma once

#include <cstdint>

#include <span>

#include "kernels/api/pack.h"
#include "shared/base/output_sample.hpp"

namespace kernsweep {

// `prints_text`: the output is the text that a program has printed. `runs`: how many runs are known to have
// had this output. `parts`: Pack::parts_of(). Requires that `output` has passed element_count (output.hpp).
// Throws std::bad_alloc if a text is too large for the memory.
OutputSample sample_of(const ks_tensor& output, bool prints_text, std::uint32_t runs,
                       std::span<const ks_part> parts = {});

}  // namespace kernsweep
