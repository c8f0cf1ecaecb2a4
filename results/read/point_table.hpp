// Assigns numbers to rows of codes: the points of a sweep, and groups of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "results/read/code_table.hpp"

namespace kernsweep {

// Where a point was measured, by numbers of the caller.
struct PointPlace {
  std::uint32_t cache = 0, host = 0;  // cache state, kind of host
  std::int64_t software = 0;          // class (results/read/software_classes.hpp)
  friend bool operator==(const PointPlace&, const PointPlace&) = default;
};

// Points are equal if all values and the places are. Memory: 24 bytes and 4 per value for each point.
class PointTable {
 public:
  explicit PointTable(std::size_t width = 0) : width_(width) {}  // number of values of a point

  // The number of this point; if it is new, size() before the call. `codes`: of each value.
  std::uint32_t number(std::span<const std::uint32_t> codes, const PointPlace& place);

  std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  const std::vector<PointPlace>& places() const { return places_; }
  std::span<const std::uint32_t> codes(std::size_t point) const {
    return std::span(codes_).subspan(point * width_, width_);
  }

  struct Spots {
    std::vector<std::uint32_t> of;  // the spot of each point
    std::uint32_t count = 0;
  };
  // Points of one spot differ only in the class of software.
  Spots spots() const;
  // Point p, column c: [p * width + c].
  std::vector<std::uint32_t> taken_codes() && { return std::move(codes_); }

 private:
  std::size_t width_;
  std::vector<std::uint32_t> codes_;
  std::vector<PointPlace> places_;
  CodeTable table_;
  std::uint32_t last_ = 0;  // the processes of a point are adjacent
};

// Assigns numbers to distinct rows of codes from 0 in order of appearance, by some of their columns.
class RowNumbers {
 public:
  explicit RowNumbers(std::vector<std::size_t> columns) : columns_(std::move(columns)) {}
  // Uses all of `width` columns except `skipped` (`width`: all).
  RowNumbers(std::size_t width, std::size_t skipped);
  // `codes` must outlive this object. Returns size() before the call if the row is new.
  std::uint32_t number(const std::uint32_t* codes);
  // Of each row of `codes`; of an object that was made for their width.
  std::vector<std::uint32_t> numbers(const std::vector<std::uint32_t>& codes);
  std::uint32_t size() const { return table_.size(); }

 private:
  std::size_t width_ = 0;
  std::vector<std::size_t> columns_;
  CodeTable table_;
  std::vector<const std::uint32_t*> first_;  // the first row with each number
};

// The rows of each group, in their order.
class RowGroups {
 public:
  // `group_of`: of each row, below `groups`.
  RowGroups(const std::vector<std::uint32_t>& group_of, std::uint32_t groups);
  std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size()) - 1; }
  std::span<const std::uint32_t> of(std::uint32_t group) const {
    return std::span(order_).subspan(begins_[group], begins_[group + 1] - begins_[group]);
  }

 private:
  std::vector<std::size_t> begins_;  // of each group in `order_`, and the end
  std::vector<std::uint32_t> order_;
};

}  // namespace kernsweep
