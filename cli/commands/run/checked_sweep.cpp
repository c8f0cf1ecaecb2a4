#include "cli/commands/run/checked_sweep.hpp"

#include "cli/commands/run/local_catalogue.hpp"
#include "language/check/catalogue_check.hpp"

namespace kernsweep {

Result<Expansion> checked_sweep(const std::string& file, const Replacements& replacements,
                                Catalogue* kernels) {
  auto expansion = Expansion::read(file, replacements);
  if (!expansion) return tl::unexpected(expansion.error());
  if (const auto catalogue = local_catalogue(false, expansion->sweep().kernel)) {
    const Status known = check_against(expansion->sweep(), *expansion, *catalogue);
    if (!known) return tl::unexpected(known.error());
    if (kernels != nullptr) *kernels = *catalogue;
  }
  return expansion;
}

}  // namespace kernsweep
