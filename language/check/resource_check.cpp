#include "language/check/resource_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "language/check/devices.hpp"
#include "language/check/kind_check.hpp"
#include "language/space/permutation.hpp"
#include "shared/base/rules.hpp"

namespace kernsweep {
namespace {

class ResourceCheck {
 public:
  ResourceCheck(const Sweep& sweep, const Expansion& expansion)
      : sweep_(sweep),
        expansion_(expansion),
        asks_for_gpus_(asks_for_gpus(expansion)),
        threads_(column_named("threads")),
        copies_(column_named("copies")),
        device_(column_named("device")),
        gpus_(column_named("gpus")) {}

  bool has_nothing_to_check() const { return !threads_ && !copies_ && !asks_for_gpus_; }

  // The error of the point; "" if it is valid. `as_written`: the 1 in [1, two], which is text because
  // another value of the axis is text, counts as a number.
  std::string flaw_of(const Point& point, bool as_written) const {
    for (const auto& [column, most] : {std::pair{threads_, kThreadsOfJobMax}, {copies_, kCopiesOfJobMax}}) {
      const Value* const value = value_of(point, column);
      if (value == nullptr || value->is_null()) continue;
      const Value plain = as_written ? value_of_scalar(number_text(*value)) : *value;
      const auto* count = plain.integer();
      if (count != nullptr && *count >= 1 && *count <= most) continue;
      const std::string hint = value->text() != nullptr && !as_written
                                   ? ", which is text here: write numbers without quotes"
                               : number_text(*value) != value->to_text() ? "; write " + number_text(*value)
                                                                         : "";
      return fmt::format("{}: {} takes whole numbers from 1 to {}, not '{}'{}",
                         place_text(sweep_, sweep_.columns[*column].place), sweep_.columns[*column].name,
                         most, value->to_text(), hint);
    }
    const bool has_gpus = asks_for_gpus_ && gpus_of(value_of(point, device_), value_of(point, gpus_)) > 0;
    const Value* const copies = value_of(point, copies_);
    const bool has_copies = copies != nullptr && copies->integer() != nullptr && *copies->integer() > 1;
    if (has_copies && has_gpus)
      return fmt::format(
          "{}: copies of a job run side by side on cores, and this one computes on a GPU; "
          "leave them out there, as by `when: device == \"cpu\"`",
          place_text(sweep_, sweep_.columns[*copies_].place));
    if (!has_copies && !has_gpus) return "";
    if (!expansion_.rules(expansion_.rules_of(point)).measure.verify.distrust) return "";
    return fmt::format(
        "{}: verify.distrust: a kernel {}; set it by `overrides` for the points without {}, "
        "or leave the others out",
        file_text(sweep_), has_gpus ? "on a GPU cannot be isolated" : "cannot be isolated in copies",
        has_gpus ? "a GPU" : "copies");
  }

 private:
  // "2" also for 2.0: if one number of an axis is not whole, all are floats.
  static std::string number_text(const Value& value) {
    const auto* real = value.real();
    return real != nullptr && *real == std::floor(*real) && std::abs(*real) < 1e15
               ? std::to_string(static_cast<std::int64_t>(*real))
               : value.to_text();
  }

  std::optional<std::size_t> column_named(const char* name) const {
    const auto found = std::ranges::find(sweep_.columns, name, &Column::name);
    if (found == sweep_.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - sweep_.columns.begin());
  }
  // Null: the sweep has no such column.
  static const Value* value_of(const Point& point, std::optional<std::size_t> column) {
    return column ? &point.values[*column] : nullptr;
  }

  const Sweep& sweep_;
  const Expansion& expansion_;
  bool asks_for_gpus_;
  std::optional<std::size_t> threads_, copies_, device_, gpus_;
};

}  // namespace

Status check_resources(const Sweep& sweep, const Expansion& expansion) {
  const ResourceCheck check(sweep, expansion);
  if (check.has_nothing_to_check()) return Done{};
  const std::uint64_t all = expansion.raw_points(), tried = std::min(all, kPointsTried);
  const Permutation drawn(std::max<std::uint64_t>(all, 1), 0);
  Point point;
  for (const bool as_written : {true, false}) {
    for (std::uint64_t i = 0; i < tried; ++i) {
      const std::uint64_t position = tried < all ? drawn(i) : i;
      expansion.point_at(position, point);
      const std::string flaw = check.flaw_of(point, as_written);
      if (flaw.empty() || expansion.rejection(position, point)) continue;
      return failure(fmt::format("{}, as {}", flaw, expansion.label_of(point)));
    }
  }
  return Done{};
}

}  // namespace kernsweep
