#include "worker/slot/verify/allowance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/base/reference_rule.hpp"

namespace kernsweep {
namespace {

// A stretch in which both outputs have one type and scale.
struct Shared {
  std::size_t first = 0, elements = 0;
  OutputPart output;
  std::optional<OutputPart> reference;  // nothing: its types are not known
};

std::vector<Shared> shared_parts(const std::vector<OutputPart>& output,
                                 const std::vector<OutputPart>& reference) {
  std::vector<Shared> all;
  std::size_t at = 0, a = 0, b = 0;
  std::uint64_t of_a = 0, of_b = 0;  // elements of the current part that were consumed
  while (a < output.size()) {
    const bool is_known = b < reference.size();
    std::uint64_t count = output[a].elements - of_a;
    if (is_known) count = std::min(count, reference[b].elements - of_b);
    if (count > 0)
      all.push_back({at, count, output[a], is_known ? std::optional(reference[b]) : std::nullopt});
    at += count;
    if ((of_a += count) == output[a].elements) ++a, of_a = 0;
    if (is_known && (of_b += count) == reference[b].elements) ++b, of_b = 0;
  }
  return all;
}

}  // namespace

// A type that verify.tolerance does not name has at least the tolerance of each finer type.
ks_tolerance Allowance::between(Dtype output, std::optional<Dtype> reference) const {
  const auto named = [&](std::string_view name) -> std::optional<double> {
    const auto found = said.find(std::string(name));
    return found == said.end() ? std::nullopt : std::optional(found->second);
  };
  const std::string_view name = column.empty() ? name_of(output) : std::string_view(column);
  if (const auto own = named(name)) return {*own, 0, declared.scale_dims};
  const auto relative = named("relative"), absolute = named("absolute");
  if (!may_round || !is_float(output) || relative || absolute)
    return {relative.value_or(declared.relative), absolute.value_or(declared.absolute),
            declared.scale_dims};
  double by_rounding = rounding_tolerance(name);
  if (by_rounding == 0) by_rounding = rounding_tolerance(name_of(output));
  if (reference) by_rounding = std::max(by_rounding, rounding_tolerance(name_of(*reference)));
  for (const auto& [finer, tolerance] : said)
    if (rounding_tolerance(finer) > 0 && rounding_tolerance(finer) < by_rounding)
      by_rounding = std::max(by_rounding, tolerance);
  return {by_rounding, 0, declared.scale_dims};
}

// Elements that must be equal count only for their own scale.
std::vector<Stretch> stretches_of(const std::vector<OutputPart>& output,
                                  const std::vector<OutputPart>& reference, const Elements& right,
                                  const Allowance& allowance) {
  // The error that f64 arithmetic with large numbers leaves in small ones, such as a residual instead of 0.
  constexpr double kLeft = 0x1p-43;
  const std::vector<Shared> parts = shared_parts(output, reference);
  std::vector<Stretch> out;
  std::vector<double> scales;  // of the groups of neighbours that share one
  std::vector<std::size_t> group_of;
  double whole = 0;
  // A whole number among the floats of one list is a float if the reference has one: max(0, x).
  std::vector<std::int32_t> of_floats;
  for (const OutputPart& part : output)
    if (!part.is_whole() && (of_floats.empty() || of_floats.back() != part.scale))
      of_floats.push_back(part.scale);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Shared& part = parts[i];
    const auto of_reference = part.reference ? std::optional(part.reference->dtype) : std::nullopt;
    const bool is_float_here = part.output.is_whole() && of_reference && is_float(*of_reference) &&
                               std::ranges::binary_search(of_floats, part.output.scale);
    const ks_tolerance tolerance =
        allowance.between(is_float_here ? *of_reference : part.output.dtype, of_reference);
    const bool is_exact = tolerance.relative == 0 && tolerance.absolute == 0;
    const double largest = largest_of(right, part.first, part.elements);
    const auto scale_of = [](const Shared& of) {
      return std::pair(of.output.scale, of.reference ? of.reference->scale : 0);
    };
    if (i == 0 || scale_of(part) != scale_of(parts[i - 1])) scales.push_back(0);
    group_of.push_back(scales.size() - 1);
    out.push_back({part.elements, largest, tolerance, 0});
    if (is_exact) continue;
    scales.back() = std::max(scales.back(), largest);
    whole = std::max(whole, largest);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stretch& one = out[i];
    const auto [relative, absolute, unused] = one.tolerance;
    if (relative == 0 && absolute == 0) continue;
    one.scale = allowance.is_by_part() ? scales[group_of[i]] : whole;
    one.allowed = absolute + std::max(relative * one.scale, std::min(relative, kLeft) * whole);
  }
  return out;
}

}  // namespace kernsweep
