// What a library was asked to be, by the variables that it reads, against what it says that it is: the text
// of the variant's `runtime`. Only where both are there is anything said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// A sentence, or nothing: it is as asked, the runtime does not tell, or `name` is no variable that is known
// here. Letters are compared without regard to their case.
//
//   OPENBLAS_CORETYPE    against core=
//   BLIS_ARCH_TYPE       a name against arch=, a number against arch_id=. BLIS 0.9.0 knows numbers only and
//                        reads each name as 0; what it then runs as is what arch= says. A negative number
//                        is its own choice; names of instruction sets (AMD's BLIS has some) are not
//                        compared.
//   ONEDNN_MAX_CPU_ISA   an upper bound of isa= where the runtime is oneDNN's; DNNL_MAX_CPU_ISA is its old
//                        name. A name that this table does not have is a difference by itself.
std::optional<std::string> library_difference(std::string_view name, const std::string& value,
                                              std::string_view runtime);

// The number behind threads= in the runtime; nothing where there is none above 0.
std::optional<std::uint32_t> threads_told(std::string_view runtime);

}  // namespace kernsweep
