// The numbers of a pivot with their roles in the picture: plot, series, x. Private to results/plot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/plot/picture.hpp"

namespace kernsweep {

inline constexpr double kDrawnMax = 1e300;  // a range of larger numbers has no width

struct DrawnPoint {
  std::size_t plot = 0, series = 0;  // indices in the titles and names below
  const Value* x = nullptr;          // of the pivot
  std::size_t x_place = 0;           // in the order of the sweep
  const PivotCell* cell = nullptr;
};

// A column of the problem that changes along with a drawn column.
struct FollowingColumn {
  std::string name, along;
};

struct DrawnPoints {
  std::vector<std::string> titles;  // of the plots, in the order of the sweep
  std::vector<std::string> series;  // their names
  std::vector<DrawnPoint> points;   // in the order of the pivot
  std::vector<std::string> by;      // the columns whose values name the series
  std::vector<FollowingColumn> following;
  std::size_t not_finite = 0;  // cells whose number cannot be drawn
};

// Names the problem of a row by some of the answer's columns: "m=8 label=cube". Refers to the answer.
class RowTitles {
 public:
  explicit RowTitles(const PivotAnswer& answer);
  std::string of(std::size_t row, const std::vector<std::size_t>& columns) const;
  const std::string& label(std::size_t row, std::size_t column) const { return labels_[column][row]; }

 private:
  const PivotAnswer& answer_;
  std::vector<char> told_;
  std::vector<std::vector<std::string>> labels_;
};

// Arguments as for picture_of(). Refers to values of `answer`.
DrawnPoints drawn_points(const PivotAnswer& answer, const std::string& x);

}  // namespace kernsweep
