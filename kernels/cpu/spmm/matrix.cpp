#include "kernels/cpu/spmm/matrix.hpp"

#include <algorithm>
#include <limits>

#include "kernels/api/pack.hpp"

namespace kernsweep::spmm {
namespace {

template <class T>
double bytes_of(const std::vector<T>& all) {
  return static_cast<double>(all.size() * sizeof(T));
}

std::int32_t counted(std::size_t number) {
  if (number > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw pack::Refused(KS_UNSUPPORTED,
                        "A has more than 2^31 - 1 elements that are not 0; make it sparser");
  return static_cast<std::int32_t>(number);
}

}  // namespace

double Csr::bytes() const {
  return bytes_of(begins) + bytes_of(columns) + bytes_of(values);
}

double Bsr::bytes() const {
  return bytes_of(begins) + bytes_of(columns) + bytes_of(values);
}

Csr csr_of(std::span<const float> dense, std::int64_t rows, std::int64_t cols, const BlockMask& mask) {
  const std::int64_t blocks_of_row = (cols + mask.block - 1) / mask.block;
  const auto is_dropped = [&](std::int64_t i, std::int64_t j) {
    const std::int64_t at = i / mask.block * blocks_of_row + j / mask.block;
    return !mask.kept.empty() && mask.kept[static_cast<std::size_t>(at)] == 0;
  };
  Csr out;
  out.begins.push_back(0);
  const float* element = dense.data();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j, ++element) {
      if (*element == 0 || is_dropped(i, j)) continue;
      out.columns.push_back(static_cast<std::int32_t>(j));
      out.values.push_back(*element);
    }
    out.begins.push_back(counted(out.values.size()));
  }
  return out;
}

Bsr bsr_of(const Csr& from, std::int64_t cols, std::int64_t block) {
  const std::int64_t rows = static_cast<std::int64_t>(from.begins.size()) - 1;
  const auto size = static_cast<std::size_t>(block * block);
  Bsr out;
  out.block = block;
  out.begins.push_back(0);
  std::vector<std::int32_t> place(static_cast<std::size_t>((cols + block - 1) / block),
                                  -1);  // of a block in its row
  for (std::int64_t first = 0; first < rows; first += block) {
    const std::int64_t end = std::min(rows, first + block);
    const auto begin_of = [&](std::int64_t row) {
      return static_cast<std::size_t>(from.begins[static_cast<std::size_t>(row)]);
    };
    const std::size_t before = out.columns.size();
    for (std::size_t p = begin_of(first); p < begin_of(end); ++p) {
      const auto column = static_cast<std::size_t>(from.columns[p] / block);
      if (place[column] < 0) out.columns.push_back(static_cast<std::int32_t>(column));
      place[column] = 0;
    }
    const auto of_row = out.columns.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(of_row, out.columns.end());
    for (auto each = of_row; each != out.columns.end(); ++each)
      place[static_cast<std::size_t>(*each)] = static_cast<std::int32_t>(each - out.columns.begin());
    out.values.resize(out.columns.size() * size);
    for (std::int64_t row = first; row < end; ++row)
      for (std::size_t p = begin_of(row); p < begin_of(row + 1); ++p) {
        const auto at = static_cast<std::size_t>(place[static_cast<std::size_t>(from.columns[p] / block)]);
        out.values[at * size + static_cast<std::size_t>((row - first) * block + from.columns[p] % block)] =
            from.values[p];
      }
    for (auto each = out.columns.begin() + static_cast<std::ptrdiff_t>(before); each != out.columns.end();
         ++each)
      place[static_cast<std::size_t>(*each)] = -1;
    out.begins.push_back(counted(out.columns.size()));
  }
  return out;
}

std::vector<std::int64_t> even_shares(const std::vector<std::int32_t>& begins, int shares) {
  std::vector<std::int64_t> out{0};
  for (int share = 1; share < shares; ++share) {
    const auto wanted =
        static_cast<std::int32_t>(static_cast<std::int64_t>(begins.back()) * share / shares);
    const auto at = std::lower_bound(begins.begin(), begins.end() - 1, wanted);
    out.push_back(std::max<std::int64_t>(out.back(), at - begins.begin()));
  }
  out.push_back(static_cast<std::int64_t>(begins.size()) - 1);
  return out;
}

}  // namespace kernsweep::spmm
