// Makes the wheels of the product from axes and zip groups.
#include <fmt/format.h>

#include <algorithm>

#include "language/plan/builder.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kNoGroup = SIZE_MAX;

std::string condition_text(const Axis& axis) {
  return axis.when ? axis.when->scalar : std::string();
}

}  // namespace

Result<Wheel> PlanBuilder::make_zip_wheel(const ZipGroup& group, std::vector<std::size_t>& group_of) const {
  const auto& axes = plan_->axes;
  const std::string& name = group.name.scalar;
  Wheel wheel;
  wheel.name = name;
  wheel.where = where(group.name);
  const Axis* first = nullptr;
  for (const auto& member : group.members) {
    const auto found =
        std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.name == member.scalar; });
    if (found == axes.end()) {
      std::vector<std::string> known;
      for (const auto& axis : axes) known.push_back(axis.name);
      return wrong(member, fmt::format("zip '{}': there is no axis '{}'{}", name, member.scalar,
                                       did_you_mean(member.scalar, known)));
    }
    const auto index = static_cast<std::size_t>(found - axes.begin());
    if (group_of[index] != kNoGroup) {
      return wrong(member,
                   fmt::format("zip '{}': axis '{}' is in a zip group already", name, member.scalar));
    }
    group_of[index] = static_cast<std::size_t>(&group - document_.zips.data());
    if (first != nullptr && found->size() != first->size()) {
      return wrong(
          group.name,
          fmt::format("zip '{}': '{}' has {} values and '{}' has {}; axes in lock step need equally "
                      "many",
                      name, first->name, first->size(), found->name, found->size()));
    }
    if (first != nullptr && condition_text(*first) != condition_text(*found)) {
      return wrong(group.name, fmt::format("zip '{}': '{}' and '{}' need the same `when`, word for word",
                                           name, first->name, found->name));
    }
    first = first != nullptr ? first : &*found;
    for (std::size_t f = 0; f < found->fields.size(); ++f) {
      wheel.slots.push_back({plan_->columns_of_axis[index][f], &found->fields[f].values});
    }
  }
  wheel.size = first->size();
  return wheel;
}

Result<std::vector<Wheel>> PlanBuilder::make_wheels() {
  const auto& axes = plan_->axes;
  std::vector<std::size_t> group_of(axes.size(), kNoGroup);
  std::vector<Wheel> groups;
  for (const auto& group : document_.zips) {
    KS_ASSIGN_OR_RETURN(auto wheel, make_zip_wheel(group, group_of));
    groups.push_back(std::move(wheel));
  }
  std::vector<Wheel> wheels;
  std::vector<std::size_t> wheel_of_group(groups.size(), SIZE_MAX);
  wheel_of_axis_.resize(axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::size_t group = group_of[a];
    if (group != kNoGroup && wheel_of_group[group] != SIZE_MAX) {
      wheel_of_axis_[a] = wheel_of_group[group];
      continue;
    }
    Wheel wheel;
    if (group != kNoGroup) {
      wheel = std::move(groups[group]);
      wheel_of_group[group] = wheels.size();
    } else {
      wheel.name = axes[a].name;
      wheel.where = axes[a].where;
      wheel.size = axes[a].size();
      for (std::size_t f = 0; f < axes[a].fields.size(); ++f) {
        wheel.slots.push_back({plan_->columns_of_axis[a][f], &axes[a].fields[f].values});
      }
    }
    if (axes[a].when) {
      KS_ASSIGN_OR_RETURN(auto expression, read_expression(*axes[a].when, "when"));
      KS_ASSIGN_OR_RETURN(wheel.when,
                          resolve_here(Formula{"", "", std::move(expression), *axes[a].when}, true));
    }
    wheel_of_axis_[a] = wheels.size();
    wheels.push_back(std::move(wheel));
  }
  return wheels;
}

Status PlanBuilder::add_product() {
  KS_ASSIGN_OR_RETURN(auto wheels, make_wheels());
  for (std::size_t w = 0; w < wheels.size(); ++w) {
    for (const auto& slot : wheels[w].slots) wheel_of_[slot.column] = w;
  }
  KS_ASSIGN_OR_RETURN(auto product, Product::build(std::move(wheels), wheel_of_, file_text(plan_->sweep)));
  plan_->product = std::move(product);
  return Done{};
}

}  // namespace kernsweep
