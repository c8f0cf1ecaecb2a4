// Matrix Market files: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats:
// Initial Design", NISTIR 5935, 1996. Supported: matrices in coordinates, of real numbers, whole numbers or
// a pattern (then each entry is 1), general, symmetric or skew-symmetric. Entries at one place are added
// up. Numbers are finite as f32.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/cpu/spmm/matrix.hpp"

namespace kernsweep::spmm {

struct MarketSize {
  std::int64_t rows = 0, cols = 0;
  std::int64_t entries = 0;  // lines of the file, which has half of a symmetric matrix
  friend bool operator==(const MarketSize&, const MarketSize&) = default;
};

// Reads the head of the file. Refused with KS_BAD_PARAMETER: the file, the line and what is wrong with it.
MarketSize market_size(const std::string& path);
// The whole matrix. Refused as for market_size(); also if the file no longer has this size.
Csr read_market(const std::string& path, const MarketSize& size);

}  // namespace kernsweep::spmm
