#include "language/space/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "language/space/count.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

constexpr std::uint32_t kInactive = UINT32_MAX;

// For each wheel, the wheels that its `when` reads.
std::vector<std::vector<std::size_t>> reads_of(const std::vector<Wheel>& wheels,
                                               const std::vector<std::size_t>& wheel_of) {
  std::vector<std::vector<std::size_t>> reads(wheels.size());
  for (std::size_t w = 0; w < wheels.size(); ++w) {
    if (!wheels[w].when) continue;
    for (const auto column : wheels[w].when->columns) reads[w].push_back(wheel_of[column]);
  }
  return reads;
}

// Joins wheels that `when` connects. Returns the component of each wheel: the number of its first wheel.
std::vector<std::size_t> components_of(const std::vector<std::vector<std::size_t>>& reads) {
  std::vector<std::size_t> parent(reads.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t w) {
    while (parent[w] != w) w = parent[w];
    return w;
  };
  for (std::size_t w = 0; w < reads.size(); ++w) {
    for (const std::size_t read : reads[w]) {
      const std::size_t a = root(w), b = root(read);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::size_t w = 0; w < reads.size(); ++w) parent[w] = root(w);
  return parent;
}

}  // namespace

void Wheel::set(std::uint64_t row, std::vector<Value>& values) const {
  for (const auto& slot : slots) slot.values->get(row, values[slot.column]);
}

void Wheel::clear(std::vector<Value>& values) const {
  for (const auto& slot : slots) values[slot.column] = Null{};
}

Status Product::order_by_dependency(const std::vector<std::size_t>& wheel_of, const std::string& file) {
  const auto reads = reads_of(wheels_, wheel_of);
  enum class Mark : std::uint8_t { fresh, open, done };
  std::vector<Mark> marks(wheels_.size(), Mark::fresh);
  std::vector<std::size_t> path;
  const std::function<bool(std::size_t)> visit = [&](std::size_t w) {
    path.push_back(w);
    if (marks[w] == Mark::open) return false;
    if (marks[w] == Mark::fresh) {
      marks[w] = Mark::open;
      for (const std::size_t read : reads[w]) {
        if (!visit(read)) return false;
      }
      marks[w] = Mark::done;
      dependency_order_.push_back(w);
    }
    path.pop_back();
    return true;
  };
  for (std::size_t w = 0; w < wheels_.size(); ++w) {
    if (visit(w)) continue;
    const auto start = std::find(path.begin(), path.end(), path.back());
    std::string cycle;
    for (auto at = start; at != path.end(); ++at) cycle += (at == start ? "" : " -> ") + wheels_[*at].name;
    const auto& when = wheels_[*start].when;
    return failure(
        fmt::format("{}: the `when` conditions of these axes depend on each other: {}; remove one",
                    when ? when->where : file, cycle));
  }
  return Done{};
}

// Enumerates all combinations of a component's deciding wheels, in file order, and makes its blocks.
struct Product::Enumeration {
  const std::vector<Wheel>& wheels;
  Component& component;
  std::vector<std::size_t> order;  // deciders, each after those that it reads
  std::vector<Value> values;
  std::map<std::vector<std::uint32_t>, std::uint32_t> sets;
  std::vector<std::uint32_t> rows;  // by position in component.deciders
  Count total{};

  Result<bool> active(std::size_t w) const {
    const auto& when = wheels[w].when;
    if (!when) return true;
    auto holds = when->holds(values);
    if (!holds) {
      return failure(
          fmt::format("{}: in '{}': {}", when->where, when->expression.text(), holds.error().message));
    }
    return holds;
  }

  Status close_block() {
    if (component.set_of_block.size() >= kBlocksMax) {
      Count combinations(1);
      std::string names;
      for (const auto w : component.deciders) {
        combinations.multiply(Count(wheels[w].size));
        names += (names.empty() ? "" : ", ") + wheels[w].name;
      }
      return failure(fmt::format(
          "{}: the axes that conditions read ({}) have {} combinations, at most {} are possible; "
          "let `when` read axes with fewer values",
          wheels[component.deciders.front()].where, names, combinations.to_text(), kBlocksMax));
    }
    std::vector<std::uint32_t> on, off;
    Count count(1);
    for (const auto leaf : component.leaves) {
      KS_ASSIGN_OR_RETURN(const auto is_active, active(leaf));
      (is_active ? on : off).push_back(leaf);
      if (is_active) count.multiply(Count(wheels[leaf].size));
    }
    const auto [found, fresh] = sets.emplace(on, static_cast<std::uint32_t>(component.active_sets.size()));
    if (fresh) {
      component.active_sets.push_back(std::move(on));
      component.inactive_sets.push_back(std::move(off));
    }
    component.set_of_block.push_back(found->second);
    component.rows.insert(component.rows.end(), rows.begin(), rows.end());
    component.starts.push_back(total.above(kPointsMax) ? kPointsMax : total.value());
    total.add(count);
    return Done{};
  }

  Status walk(std::size_t depth) {
    if (depth == order.size()) return close_block();
    const std::size_t w = component.deciders[order[depth]];
    KS_ASSIGN_OR_RETURN(const auto is_active, active(w));
    if (!is_active) {
      rows[order[depth]] = kInactive;
      wheels[w].clear(values);
      return walk(depth + 1);
    }
    for (std::uint64_t row = 0; row < wheels[w].size; ++row) {
      rows[order[depth]] = static_cast<std::uint32_t>(row);
      wheels[w].set(row, values);
      KS_RETURN_IF_ERROR(walk(depth + 1));
    }
    return Done{};
  }
};

Result<Product> Product::build(std::vector<Wheel> wheels, const std::vector<std::size_t>& wheel_of,
                               const std::string& file) {
  Product product;
  product.wheels_ = std::move(wheels);
  KS_RETURN_IF_ERROR(product.order_by_dependency(wheel_of, file));
  const auto reads = reads_of(product.wheels_, wheel_of);
  const auto component_of = components_of(reads);
  std::set<std::size_t> deciding;
  for (const auto& read : reads) deciding.insert(read.begin(), read.end());

  Count total(1);
  for (std::size_t first = 0; first < product.wheels_.size(); ++first) {
    if (component_of[first] != first) continue;
    Component component;
    for (std::size_t w = first; w < product.wheels_.size(); ++w) {
      if (component_of[w] != first) continue;
      (deciding.contains(w) ? component.deciders : component.leaves)
          .push_back(static_cast<std::uint32_t>(w));
    }
    Enumeration walk{product.wheels_, component, {}, std::vector<Value>(wheel_of.size()), {}, {}};
    for (const std::size_t w : product.dependency_order_) {
      const auto at = std::find(component.deciders.begin(), component.deciders.end(), w);
      if (at != component.deciders.end())
        walk.order.push_back(static_cast<std::size_t>(at - component.deciders.begin()));
    }
    walk.rows.resize(component.deciders.size());
    KS_RETURN_IF_ERROR(walk.walk(0));
    total.multiply(walk.total);
    component.size = walk.total.above(kPointsMax) ? kPointsMax : walk.total.value();
    component.starts.push_back(component.size);
    product.components_.push_back(std::move(component));
  }
  if (total.above(kPointsMax)) {
    return failure(
        fmt::format("{}: the sweep has {} points before `exclude` and `constraints`; the limit is {}. "
                    "Remove values from an axis",
                    file, total.to_text(), kPointsMax));
  }
  product.size_ = total.value();
  return product;
}

void Product::get_in(const Component& component, std::uint64_t position, std::vector<Value>& values) const {
  std::size_t block = 0;
  if (component.set_of_block.size() > 1) {
    const auto after = std::upper_bound(component.starts.begin(), component.starts.end(), position);
    block = static_cast<std::size_t>(after - component.starts.begin()) - 1;
  }
  std::uint64_t rest = position - component.starts[block];
  const std::size_t width = component.deciders.size();
  for (std::size_t d = 0; d < width; ++d) {
    const std::uint32_t row = component.rows[block * width + d];
    const Wheel& wheel = wheels_[component.deciders[d]];
    row == kInactive ? wheel.clear(values) : wheel.set(row, values);
  }
  const std::uint32_t set = component.set_of_block[block];
  for (const auto leaf : component.inactive_sets[set]) wheels_[leaf].clear(values);
  const auto& active = component.active_sets[set];
  for (std::size_t i = active.size(); i-- > 0;) {
    const Wheel& wheel = wheels_[active[i]];
    const std::uint64_t quotient = rest / wheel.size;
    wheel.set(rest - quotient * wheel.size, values);
    rest = quotient;
  }
}

void Product::get(std::uint64_t position, std::vector<Value>& values) const {
  for (std::size_t i = components_.size(); i-- > 0;) {
    const Component& component = components_[i];
    const std::uint64_t quotient = position / component.size;
    get_in(component, position - quotient * component.size, values);
    position = quotient;
  }
}

}  // namespace kernsweep
