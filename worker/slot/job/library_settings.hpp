// Compares the settings that were requested of a library by environment variables with those that it
// reports in the variant's `runtime` text. If one of them is missing, there is no difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// A sentence about the difference. Nothing: there is none, the runtime does not report it, or the variable
// `name` is not known here. The comparison ignores case.
//
//   OPENBLAS_CORETYPE    against core=
//   BLIS_ARCH_TYPE       a name against arch=, a number against arch_id=. BLIS 0.9.0 knows only numbers and
//                        reads each name as 0; arch= shows what it then uses. A negative number lets BLIS
//                        choose; names of instruction sets (AMD's BLIS has some) are not compared.
//   ONEDNN_MAX_CPU_ISA   an upper bound of isa= where the runtime is oneDNN's; DNNL_MAX_CPU_ISA is its old
//                        name. A name that this table does not have is a difference by itself.
std::optional<std::string> library_difference(std::string_view name, const std::string& value,
                                              std::string_view runtime);

// The number after threads= in the runtime; nothing if there is none above 0.
std::optional<std::uint32_t> threads_stated(std::string_view runtime);

}  // namespace kernsweep
