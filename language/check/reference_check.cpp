#include "language/check/reference_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/check/kind_check.hpp"
#include "language/check/problem.hpp"
#include "language/space/axis.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

constexpr const char* kWhat = "verify.reference";

Status check_variant(const std::string& name, const std::string& where, const CatalogueFamily& family) {
  std::vector<std::string> known;
  for (const CatalogueVariant& variant : family.variants) known.push_back(variant.name);
  if (std::ranges::find(known, name) != known.end()) return Done{};
  return failure(fmt::format("{}: {}: kernel '{}' has no variant '{}'{}", where, kWhat, family.name, name,
                             did_you_mean(name, known)));
}

// The choices that the family, or else its variants, declare for a parameter; empty: none.
std::vector<std::string> choices_of(const std::string& name, const CatalogueFamily& family) {
  std::vector<std::string> all;
  const auto add = [&](const std::vector<CatalogueParameter>& parameters) {
    for (const CatalogueParameter& parameter : parameters)
      if (parameter.name == name) all.insert(all.end(), parameter.choices.begin(), parameter.choices.end());
  };
  add(family.parameters);
  for (const CatalogueVariant& variant : family.variants) add(variant.parameters);
  return all;
}

class ReferenceCheck {
 public:
  ReferenceCheck(const Sweep& sweep, const Expansion& expansion, const CatalogueFamily& family)
      : sweep_(sweep), expansion_(expansion), family_(family) {}

  Status check(const SweepReference& reference) const {
    const ReferenceRule& rule = reference.rule;
    if (rule.kind == ReferenceKind::variant)
      return rule.text.empty() ? Status(Done{}) : check_variant(rule.text, reference.where, family_);
    const auto problem = problem_columns(sweep_, Catalogue{{family_}});
    for (const auto& [name, value] : rule.setting) {
      const auto found = reference.where_of.find(name);
      const std::string where = found == reference.where_of.end() ? reference.where : found->second;
      for (std::size_t c = 0; c < sweep_.columns.size(); ++c) {
        if (sweep_.columns[c].name == name && problem[c].value_or(false))
          return failure(
              fmt::format("{}: {}: '{}' is part of the problem, and a reference answers the same "
                          "problem; name a setting (`kernsweep check` shows which columns are)",
                          where, kWhat, name));
      }
      if (name == "variant") {
        KS_RETURN_IF_ERROR(check_variant(value.to_text(), where, family_));
      } else if (const Status good = check_value(name, value, where); !good) {
        return good;
      }
    }
    return Done{};
  }

 private:
  Status check_value(const std::string& name, const Value& value, const std::string& where) const {
    std::vector<std::string> known = choices_of(name, family_);
    if (std::ranges::find(known, value.to_text()) != known.end()) return Done{};
    const bool declared = !known.empty();
    if (!declared && is_in_axis(name, value, known)) return Done{};
    return failure(fmt::format("{}: {}: '{}' is not a value of '{}'{}{}", where, kWhat, value.to_text(),
                               name, did_you_mean(value.to_text(), known),
                               declared ? ""
                                        : "; add it to the axis, and to `exclude` if it is not to be "
                                          "measured"));
  }

  // Whether the axis or an included point has the value; adds the axis' values as texts to `known`.
  bool is_in_axis(const std::string& name, const Value& value, std::vector<std::string>& known) const {
    for (const Axis& axis : expansion_.axes()) {
      for (const AxisField& field : axis.fields) {
        if (field.name != name) continue;
        if (field.values.row_of(value)) return true;
        Value listed;
        constexpr std::uint64_t kSuggested = 1000;
        for (std::uint64_t row = 0; row < std::min(field.values.size(), kSuggested); ++row) {
          field.values.get(row, listed);
          known.push_back(listed.to_text());
        }
      }
    }
    Point point;
    const auto column = std::ranges::find(sweep_.columns, name, &Column::name) - sweep_.columns.begin();
    const std::uint64_t points = expansion_.raw_points();
    for (std::uint64_t i = points - expansion_.included_points(); i < points; ++i) {
      expansion_.point_at(i, point);
      if (point.values[static_cast<std::size_t>(column)] == value) return true;
    }
    return false;
  }

  const Sweep& sweep_;
  const Expansion& expansion_;
  const CatalogueFamily& family_;
};

// Reports what the slot would reject at every point (worker/slot/job/job_distrust.cpp).
Status check_distrust(const Sweep& sweep, const CatalogueFamily& family) {
  const VerifyRules& verify = sweep.rules.measure.verify;
  if (!verify.distrust) return Done{};
  const auto refused = [&](const std::string& why) {
    return failure(fmt::format("{}: verify.distrust: {}", file_text(sweep), why));
  };
  const bool cold = std::ranges::find(sweep.caches, Cache::cold) != sweep.caches.end();
  if (const std::string why = unkept_distrust(verify, cold); !why.empty()) return refused(why);
  const ReferenceRule& rule = verify.reference;
  if (rule.kind == ReferenceKind::variant && rule.text.empty() && !family.has_reference)
    return refused(
        "there is no reference to check the kernel by; name one, as in `reference: {python: "
        "\"check:exact\"}` or `reference: {command: ./exact -n {n}}`");
  return Done{};
}

}  // namespace

Status check_references(const Sweep& sweep, const Expansion& expansion, const CatalogueFamily& family) {
  const ReferenceCheck check(sweep, expansion, family);
  for (const SweepReference& reference : expansion.references()) KS_RETURN_IF_ERROR(check.check(reference));
  return check_distrust(sweep, family);
}

}  // namespace kernsweep
