// The kernels that hosts can run, as joining workers report them. The coordinator never loads a kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kernsweep {

struct CatalogueParameter {
  std::string name;
  std::string kind;                  // "boolean", "integer", "float", "text"; for messages
  std::vector<std::string> choices;  // as written in a sweep file; empty: any value of the kind
  bool required = false;             // must be given: there is no default
  std::string fallback;              // the default, as in a sweep file; empty: none
  // Part of the problem; false: a setting; nullopt: the pack does not say (language/check/problem.hpp).
  std::optional<bool> problem = {};
};

struct CatalogueVariant {
  std::string name;
  std::vector<CatalogueParameter> parameters;  // beyond the family's
  bool available = true;                       // it can run on at least one host
  std::string reason;                          // why no host can run it
  std::string device = {};                     // "gpu", or empty for the processor
};

struct CatalogueFamily {
  std::string name;
  bool any_parameters = false;  // takes parameters that it does not name
  std::vector<CatalogueParameter> parameters;
  std::vector<CatalogueVariant> variants;
  bool has_reference = false;  // a variant of the family that is its reference
};

struct Catalogue {
  std::vector<CatalogueFamily> families;
  std::vector<std::string> broken;  // why packs, named by their paths, could not be described
};

}  // namespace kernsweep
