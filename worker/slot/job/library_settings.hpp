// Compares the settings that environment variables request of a library with those that it reports in the
// variant's `runtime` text. If one of them is missing, there is no difference.
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
//   OPENBLAS_CORETYPE    compared with core=
//   BLIS_ARCH_TYPE       a name is compared with arch=, a number with arch_id=. BLIS 0.9.0 knows only
//                        numbers and reads each name as 0; arch= shows what it then uses. With a negative
//                        number BLIS chooses; names of instruction sets (AMD's BLIS has some) are not
//                        compared.
//   ONEDNN_MAX_CPU_ISA   an upper bound of isa= if the runtime is oneDNN's; DNNL_MAX_CPU_ISA is its old
//                        name. A name that is not in this table is a difference.
std::optional<std::string> library_difference(std::string_view name, const std::string& value,
                                              std::string_view runtime);

// The number after threads= in the runtime; nothing if there is none above 0.
std::optional<std::uint32_t> threads_stated(std::string_view runtime);

}  // namespace kernsweep
