#include "cli/commands/run/checked_sweep.hpp"

#include "cli/commands/run/local_catalogue.hpp"
#include "language/check/catalogue_check.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

Result<Expansion> checked_sweep(const std::string& file, const Replacements& replacements) {
  SweepSource source;
  source.file = file;
  source.replacements = replacements;
  return checked_sweep(source);
}

Result<Expansion> checked_sweep(SweepSource& source, Catalogue* kernels) {
  KS_ASSIGN_OR_RETURN(auto expansion, read_sweep(source));
  if (const auto catalogue = local_catalogue(false, expansion.sweep().kernel)) {
    KS_RETURN_IF_ERROR(check_against(expansion.sweep(), expansion, *catalogue));
    if (kernels != nullptr) *kernels = *catalogue;
  }
  return expansion;
}

}  // namespace kernsweep
