// The product of all axes, by index. Only combinations that `when` makes irregular are listed.
//
// A wheel is what counts as one dimension: an axis or a zip group. Wheels that no `when` connects to others
// are independent. Wheels that `when` connects form a component. Each combination of its deciding wheels
// (those that a `when` reads) is a block, with the rows of the deciders and a list of the other wheels that
// are active there. The blocks follow each other, so the block of a position is found by binary search, and
// the rows of the active wheels by division.
//
//   position = ((component 0) * size 1 + component 1) * size 2 + ...   the last component varies fastest;
//   the place of a component among the others is that of its first wheel in the file.
//
// The values of inactive wheels are null and add no points, so equal points exist only once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "language/space/axis.hpp"
#include "language/space/condition.hpp"

namespace kernsweep {

inline constexpr std::uint64_t kPointsMax = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kBlocksMax = std::uint64_t{1} << 20;

// An axis or a zip group: columns whose rows change together.
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
  // `wheels` in the order of the file, over points of `columns` values; `wheel_of[column]` is the wheel of
  // the column, or SIZE_MAX. Errors: a cycle of conditions, a condition that cannot be evaluated, more than
  // kPointsMax points, more than kBlocksMax combinations of deciding wheels; the last two with the count.
  static Result<Product> build(std::vector<Wheel> wheels, const std::vector<std::size_t>& wheel_of,
                               const std::string& file);

  std::uint64_t size() const { return size_; }
  // Sets the columns of all wheels in `values` (sized by the caller) to those at `position` (< size()).
  void get(std::uint64_t position, std::vector<Value>& values) const;
  const std::vector<Wheel>& wheels() const { return wheels_; }
  // Positions in wheels(), each after all wheels that its `when` reads.
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
  void get_in(const Component& component, std::uint64_t position, std::vector<Value>& values) const;

  std::vector<Wheel> wheels_;
  std::vector<std::size_t> dependency_order_;
  std::vector<Component> components_;
  std::uint64_t size_ = 1;
};

}  // namespace kernsweep
