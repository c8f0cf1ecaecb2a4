#include "language/check/catalogue_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/check/devices.hpp"
#include "language/check/kind_check.hpp"
#include "language/check/operand_check.hpp"
#include "language/check/reference_check.hpp"
#include "language/check/resource_check.hpp"
#include "language/space/axis.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

template <class Things>
std::vector<std::string> names_in(const Things& things) {
  std::vector<std::string> out;
  for (const auto& thing : things) out.push_back(thing.name);
  return out;
}

template <class Things>
auto named(const Things& things, std::string_view name) {
  return std::find_if(things.begin(), things.end(), [&](const auto& thing) { return thing.name == name; });
}

constexpr const char* kWhereGpuKernelsAre =
    "; kernels for GPUs are in the pack cuda, which is built where nvcc is found";

bool always_known(const Column& column) {
  return column.is_computed() || column.name == "variant" || is_resource(column.name) ||
         is_note(column.name) || column.name.starts_with("env.") || column.name.starts_with("input.");
}

class Check {
 public:
  Check(const Sweep& sweep, const Expansion& expansion, const CatalogueFamily& family)
      : sweep_(sweep), expansion_(expansion), family_(family) {}

  Status run() {
    KS_RETURN_IF_ERROR(find_variants());
    for (const auto& column : sweep_.columns) {
      KS_RETURN_IF_ERROR(check_column(column));
    }
    KS_RETURN_IF_ERROR(check_required());
    KS_RETURN_IF_ERROR(check_references(sweep_, expansion_, family_));
    KS_RETURN_IF_ERROR(check_resources(sweep_, expansion_));
    KS_RETURN_IF_ERROR(check_operands(sweep_, expansion_));
    return check_kinds(sweep_, expansion_, family_);
  }

 private:
  // Calls f(value, where) for the listed values of a column, or for the first kListedValuesMax of a range.
  Status for_values(const std::string& column,
                    const std::function<Status(const Value&, const std::string&)>& f) const {
    for (const auto& axis : expansion_.axes()) {
      for (const auto& field : axis.fields) {
        if (field.name != column) continue;
        const std::uint64_t count = std::min(field.values.size(), kListedValuesMax);
        Value value;
        for (std::uint64_t row = 0; row < count; ++row) {
          field.values.get(row, value);
          const auto& where = row < axis.rows_at.size() ? axis.rows_at[row] : axis.where;
          KS_RETURN_IF_ERROR(f(value, where));
        }
      }
    }
    const auto column_at = named(sweep_.columns, column) - sweep_.columns.begin();
    if (column_at == static_cast<std::ptrdiff_t>(sweep_.columns.size())) return Done{};
    Point point;
    const std::uint64_t points = expansion_.raw_points();
    for (std::uint64_t i = points - expansion_.included_points(); i < points; ++i) {
      expansion_.point_at(i, point);
      const Value& value = point.values[static_cast<std::size_t>(column_at)];
      KS_RETURN_IF_ERROR(f(value, file_text(sweep_) + ": include"));
    }
    return Done{};
  }

  Status find_variants() {
    const bool swept = std::any_of(sweep_.columns.begin(), sweep_.columns.end(),
                                   [](const Column& column) { return column.name == "variant"; });
    if (!swept && family_.variants.size() > 1) {
      std::string known;
      for (const auto& variant : family_.variants) known += (known.empty() ? "" : ", ") + variant.name;
      return failure(
          fmt::format("{}: kernel '{}' has several variants; add the axis `variant` with one or "
                      "more of {}",
                      place_text(sweep_, sweep_.kernel_place), family_.name, known));
    }
    if (!swept) {
      for (const auto& variant : family_.variants) variants_.push_back(&variant);
      return Done{};
    }
    const bool names_device = std::ranges::any_of(sweep_.columns, [](const Column& column) {
      return column.name == "device" || column.name == "gpus";
    });
    return for_values("variant", [&](const Value& value, const std::string& where) -> Status {
      if (value.is_null()) return Done{};
      const auto found = named(family_.variants, value.to_text());
      if (found == family_.variants.end()) {
        return failure(fmt::format("{}: kernel '{}' has no variant '{}'{}{}", where, family_.name,
                                   value.to_text(),
                                   did_you_mean(value.to_text(), names_in(family_.variants)),
                                   names_device ? kWhereGpuKernelsAre : ""));
      }
      if (std::ranges::find(variants_, &*found) == variants_.end()) variants_.push_back(&*found);
      if (found->device != "gpu" || names_device) return Done{};
      return failure(
          fmt::format("{}: the variant '{}' of kernel '{}' computes on a GPU; add the axis "
                      "`device: [gpu]`, which gives its jobs one",
                      where, found->name, family_.name));
    });
  }

  // The parameter `name` of the family, or else of each swept variant that has it.
  std::vector<const CatalogueParameter*> parameters(const std::string& name) const {
    if (const auto found = named(family_.parameters, name); found != family_.parameters.end())
      return {&*found};
    std::vector<const CatalogueParameter*> all;
    for (const auto* variant : variants_) {
      if (const auto found = named(variant->parameters, name); found != variant->parameters.end())
        all.push_back(&*found);
    }
    return all;
  }

  Status check_column(const Column& column) const {
    const std::vector<const CatalogueParameter*> known = parameters(column.name);
    if (!known.empty()) return check_choices(column, known);
    if (always_known(column) || family_.any_parameters) return Done{};
    std::vector<std::string> names = names_in(family_.parameters);
    for (const auto* variant : variants_) {
      for (const auto& own : variant->parameters) names.push_back(own.name);
    }
    names.insert(names.end(), {"variant", "threads", "copies", "device", "gpus"});
    return failure(fmt::format("{}: kernel '{}' has no parameter '{}'{}", place_text(sweep_, column.place),
                               family_.name, column.name, did_you_mean(column.name, names)));
  }

  // Variants with a parameter of the same name may have different choices; the choices of all are allowed.
  Status check_choices(const Column& column, const std::vector<const CatalogueParameter*>& known) const {
    std::vector<std::string> choices;
    for (const auto* parameter : known) {
      if (parameter->choices.empty()) return Done{};
      for (const auto& choice : parameter->choices) {
        if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(choice);
      }
    }
    return for_values(column.name, [&](const Value& value, const std::string& where) -> Status {
      const std::string text = value.to_text();
      if (value.is_null() || std::ranges::find(choices, text) != choices.end()) return Done{};
      return failure(fmt::format("{}: parameter '{}' of kernel '{}' cannot be '{}'{}", where, column.name,
                                 family_.name, text, did_you_mean(text, choices)));
    });
  }

  Status check_required() const {
    std::vector<const CatalogueParameter*> required;
    for (const auto& own : family_.parameters) required.push_back(&own);
    for (const auto* variant : variants_) {
      for (const auto& own : variant->parameters) required.push_back(&own);
    }
    for (const auto* own : required) {
      if (!own->required || named(sweep_.columns, own->name) != sweep_.columns.end()) continue;
      return failure(fmt::format("{}: kernel '{}' needs the parameter '{}' ({}); add it to `axes`",
                                 file_text(sweep_), family_.name, own->name, own->kind));
    }
    return Done{};
  }

  const Sweep& sweep_;
  const Expansion& expansion_;
  const CatalogueFamily& family_;
  std::vector<const CatalogueVariant*> variants_;
};

// " (REASON)" for a pack that exists and could not be described.
std::string why_broken(const Catalogue& catalogue, const std::string& pack) {
  for (const std::string& reason : catalogue.broken)
    if (reason.find("/" + pack + ".so:") != std::string::npos) return " (" + reason + ")";
  return "";
}

}  // namespace

bool can_judge(const Expansion& expansion, const Catalogue& catalogue) {
  const Sweep& sweep = expansion.sweep();
  const auto family = named(catalogue.families, sweep.kernel);
  if (family == catalogue.families.end()) return false;
  if (sweep.kind != KernelKind::family || !asks_for_gpus(expansion)) return true;
  return std::ranges::any_of(family->variants,
                             [](const CatalogueVariant& variant) { return variant.device == "gpu"; });
}

Status check_against(const Sweep& sweep, const Expansion& expansion, const Catalogue& catalogue) {
  const auto family = named(catalogue.families, sweep.kernel);
  if (family == catalogue.families.end()) {
    const std::string place =
        sweep.kernel_place.line == 0 ? file_text(sweep) : place_text(sweep, sweep.kernel_place);
    if (sweep.kind != KernelKind::family) {
      return failure(
          fmt::format("{}: `{}:` needs the pack '{}', which is not here{}; see docs/reference/programs.md",
                      place, sweep.kernel, sweep.kernel, why_broken(catalogue, sweep.kernel)));
    }
    const std::string broken = why_broken(catalogue, sweep.kernel);
    return failure(
        fmt::format("{}: there is no kernel '{}'{}", place, sweep.kernel,
                    broken.empty() ? did_you_mean(sweep.kernel, names_in(catalogue.families)) : broken));
  }
  return Check(sweep, expansion, *family).run();
}

}  // namespace kernsweep
