#include "language/check/single_process.hpp"

namespace kernsweep {
namespace {

bool takes_statistics(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::faster:
    case ClaimKind::less_memory:
    case ClaimKind::at_least:
    case ClaimKind::at_most:
      return true;
    case ClaimKind::error_below:
    case ClaimKind::equal_bits:
    case ClaimKind::limited_by:
    case ClaimKind::ends_as:
      return false;
  }
  return true;
}

// A sweep without claims asks which setting is faster.
bool asks_for_statistics(const Expansion& expansion) {
  for (std::size_t number = 0; number < expansion.claims(); ++number)
    if (takes_statistics(expansion.claim(number).kind)) return true;
  return expansion.claims() == 0;
}

}  // namespace

std::string note_of_single_process(const Expansion& expansion, std::uint64_t points) {
  const Sweep& sweep = expansion.sweep();
  const bool compares = expansion.claims() > 0 || points > 1;
  if (sweep.processes > 1 || !compares || !asks_for_statistics(expansion)) return "";
  return std::string(
             "one process per point shows no setting to be faster, because processes of one point "
             "differ, too; for a verdict ") +
         (sweep.quick ? "leave out --quick" : "set measure.processes to 5 (--set measure.processes=5)");
}

}  // namespace kernsweep
