#include "language/check/problem.hpp"

#include <algorithm>

#include "shared/text/environment_column.hpp"

namespace kernsweep {
namespace {

// What `variants` declare for a parameter that is not the family's own; nullopt: none of them has it.
std::optional<bool> said_by(const std::vector<CatalogueVariant>& variants, const std::string& name) {
  std::optional<bool> is_problem;
  for (const CatalogueVariant& variant : variants) {
    const auto found = std::ranges::find(variant.parameters, name, &CatalogueParameter::name);
    if (found != variant.parameters.end())
      is_problem = is_problem.value_or(false) || found->problem.value_or(false);
  }
  return is_problem;
}

std::optional<bool> is_problem(const Sweep& sweep, const Column& column, const CatalogueFamily* family) {
  const std::string& name = column.name;
  if (sweep.problem) return std::ranges::find(*sweep.problem, name) != sweep.problem->end();
  if (column.is_computed()) return false;
  if (name == sweep.rows_by || name == "label" || name.starts_with("input.")) return true;
  if (name == "variant" || is_resource(name) || is_environment(name)) return false;
  if (sweep.kind != KernelKind::family) return false;
  if (family == nullptr) return std::nullopt;
  const auto own = std::ranges::find(family->parameters, name, &CatalogueParameter::name);
  if (own != family->parameters.end()) return own->problem.value_or(true);
  return said_by(family->variants, name).value_or(true);
}

}  // namespace

std::vector<std::optional<bool>> problem_columns(const Sweep& sweep, const Catalogue& catalogue) {
  const auto family = std::ranges::find(catalogue.families, sweep.kernel, &CatalogueFamily::name);
  std::vector<std::optional<bool>> all;
  for (const Column& column : sweep.columns)
    all.push_back(is_problem(sweep, column, family == catalogue.families.end() ? nullptr : &*family));
  return all;
}

std::optional<std::vector<std::string>> problem_names(const Sweep& sweep, const Catalogue& catalogue) {
  const auto known = problem_columns(sweep, catalogue);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < known.size(); ++c) {
    if (!known[c]) return std::nullopt;
    if (*known[c]) names.push_back(sweep.columns[c].name);
  }
  return names;
}

}  // namespace kernsweep
