// The product of all axes by its index: nothing is listed but what `when` makes irregular.
//
// A wheel is an axis or a zip group: what is counted as one. Wheels that no `when` ties to others are
// independent. Wheels tied by `when` form one component: for each combination of its deciding wheels (those
// that a `when` reads) there is a block with the rows of the deciders and the list of the other wheels that
// are active there; blocks lie one behind the other, so the i-th position of the component is found by
// binary search and the rest by division.
//
//   position = ((component 0) * size 1 + component 1) * size 2 + ...   the last component varies fastest;
//   a component stands where the first of its wheels stands in the file.
//
// Inactive wheels are null and are not multiplied, so points that would be equal exist once, by
// construction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "language/space/axis.hpp"
#include "language/space/condition.hpp"

namespace kernsweep {

inline constexpr std::uint64_t kPointsMax = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kBlocksMax = std::uint64_t{1} << 20;

// An axis or a zip group: columns that turn together.
struct Wheel {
  struct Slot {
    std::uint32_t column = 0;
    const ValueList* values = nullptr;  // of an Axis that outlives the wheel
  };
  std::string name;
  std::vector<Slot> slots;
  std::uint64_t size = 0;
  std::optional<Condition> when;
  std::string where;

  void set(std::uint64_t row, std::vector<Value>& values) const;
  void clear(std::vector<Value>& values) const;
};

class Product {
 public:
  // `wheels` in the order of the file, over points of `columns` values; `wheel_of[column]` says whose
  // column it is, or SIZE_MAX. Errors: a cycle of conditions, a condition that cannot be evaluated, more
  // than kPointsMax points, more than kBlocksMax combinations of deciding wheels; the last two with the
  // count.
  static Result<Product> build(std::vector<Wheel> wheels, const std::vector<std::size_t>& wheel_of,
                               const std::string& file);

  std::uint64_t size() const { return size_; }
  // Sets the columns of all wheels in `values` (sized by the caller) to those at `position` (< size()).
  void get(std::uint64_t position, std::vector<Value>& values) const;
  const std::vector<Wheel>& wheels() const { return wheels_; }
  // Positions in wheels(), each after all that its `when` reads.
  const std::vector<std::size_t>& dependency_order() const { return dependency_order_; }

 private:
  struct Component {
    std::vector<std::uint32_t> deciders, leaves;                         // wheels
    std::vector<std::uint64_t> starts;                                   // of the blocks, and the end
    std::vector<std::uint32_t> rows;                                     // blocks x deciders; kInactive
    std::vector<std::uint32_t> set_of_block;                             // which of active_sets
    std::vector<std::vector<std::uint32_t>> active_sets, inactive_sets;  // of leaves
    std::uint64_t size = 0;
  };
  struct Enumeration;

  Status order_by_dependency(const std::vector<std::size_t>& wheel_of, const std::string& file);
  Status enumerate(Component& component, std::size_t columns);
  void get_in(const Component& component, std::uint64_t position, std::vector<Value>& values) const;

  std::vector<Wheel> wheels_;
  std::vector<std::size_t> dependency_order_;
  std::vector<Component> components_;
  std::uint64_t size_ = 1;
};

}  // namespace kernsweep
