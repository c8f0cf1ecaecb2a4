#include "results/read/point_table.hpp"

#include <algorithm>

namespace kernsweep {

namespace {

std::uint64_t mixed(std::uint64_t sum, std::uint64_t code) {
  return (sum ^ code) * 0x9E3779B97F4A7C15U + 1;
}

std::uint32_t hash_of_point(std::span<const std::uint32_t> codes, const PointPlace& place) {
  std::uint64_t sum = mixed(mixed(place.cache, place.host), static_cast<std::uint64_t>(place.software));
  for (const std::uint32_t code : codes) sum = mixed(sum, code);
  return CodeTable::hash_of(sum);
}

}  // namespace

std::uint32_t PointTable::number(std::span<const std::uint32_t> codes, const PointPlace& place) {
  const auto is = [&](std::uint32_t point) {
    return places_[point] == place && std::ranges::equal(codes, this->codes(point));
  };
  if (last_ < size() && is(last_)) return last_;
  last_ = table_.number(hash_of_point(codes, place), is);
  if (last_ == size()) {
    places_.push_back(place);
    codes_.insert(codes_.end(), codes.begin(), codes.end());
  }
  return last_;
}

PointTable::Spots PointTable::spots() const {
  PointTable found(width_);
  Spots spots;
  for (std::uint32_t point = 0; point < size(); ++point)
    spots.of.push_back(found.number(codes(point), {places_[point].cache, places_[point].host}));
  spots.count = found.size();
  return spots;
}

RowNumbers::RowNumbers(std::size_t width, std::size_t skipped) : width_(width) {
  for (std::size_t column = 0; column < width; ++column)
    if (column != skipped) columns_.push_back(column);
}

std::uint32_t RowNumbers::number(const std::uint32_t* codes) {
  std::uint64_t sum = 0;
  for (const std::size_t column : columns_) sum = mixed(sum, codes[column]);
  const std::uint32_t number = table_.number(CodeTable::hash_of(sum), [&](std::uint32_t known) {
    return std::ranges::all_of(columns_,
                               [&](std::size_t column) { return first_[known][column] == codes[column]; });
  });
  if (number == first_.size()) first_.push_back(codes);
  return number;
}

std::vector<std::uint32_t> RowNumbers::numbers(const std::vector<std::uint32_t>& codes) {
  std::vector<std::uint32_t> all;
  all.reserve(codes.size() / width_);
  for (std::size_t at = 0; at < codes.size(); at += width_) all.push_back(number(&codes[at]));
  return all;
}

// Counted twice instead of sorted.
RowGroups::RowGroups(const std::vector<std::uint32_t>& group_of, std::uint32_t groups)
    : begins_(groups + 1, 0), order_(group_of.size()) {
  for (const std::uint32_t group : group_of) ++begins_[group + 1];
  for (std::size_t g = 1; g < begins_.size(); ++g) begins_[g] += begins_[g - 1];
  std::vector<std::size_t> next = begins_;
  for (std::uint32_t row = 0; row < group_of.size(); ++row) order_[next[group_of[row]]++] = row;
}

}  // namespace kernsweep
