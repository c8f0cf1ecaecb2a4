#include "coordinator/net/catalogue.hpp"

#include "shared/text/choices.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {
namespace {

CatalogueParameter parameter_of(const wire::Param& param) {
  CatalogueParameter parameter{param.name(), param.kind(), {}, param.required(), param.fallback(), {}};
  if (param.has_problem()) parameter.problem = param.problem();
  parameter.choices = split_choices(param.choices());
  return parameter;
}

}  // namespace

Catalogue catalogue_of(const wire::Catalogue& kernels) {
  Catalogue catalogue;
  catalogue.broken = {kernels.broken().begin(), kernels.broken().end()};
  for (const auto& family : kernels.families()) {
    CatalogueFamily& known = catalogue.families.emplace_back();
    known.name = family.name();
    known.any_parameters = family.any_params();
    known.has_reference = !family.reference().empty();
    for (const auto& param : family.params()) known.parameters.push_back(parameter_of(param));
    for (const auto& variant : family.variants()) {
      CatalogueVariant& listed = known.variants.emplace_back();
      listed.name = variant.name();
      listed.available = variant.unavailable().empty();
      listed.reason = variant.unavailable();
      listed.device = variant.device();
      for (const auto& param : variant.params()) listed.parameters.push_back(parameter_of(param));
    }
  }
  return catalogue;
}

}  // namespace kernsweep
