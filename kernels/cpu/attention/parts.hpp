// Parts shared by the variants: memory that is counted, and numbers in bf16.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/parallel/pack_team.hpp"

namespace kernsweep::attention {

// Memory in addition to operands and results, from the host, and its size.
class Workspace {
 public:
  template <class T>
  std::span<T> allocate(pack::Setup& setup, std::int64_t count) {
    const std::span<T> out = setup.allocate<T>(static_cast<std::size_t>(count));
    bytes_ += out.size_bytes();
    return out;
  }
  std::vector<ks_declared_metric> metrics() const {
    return {
        {.name = "workspace_bytes", .value = static_cast<double>(bytes_), .better = KS_SMALLER_IS_BETTER}};
  }

 private:
  std::size_t bytes_ = 0;
};

inline float widened(std::uint16_t bf16) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bf16) << 16);
}
inline float widened(float number) {
  return number;
}

// To the nearest, ties to even. Not for NaN.
inline std::uint16_t narrowed(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

}  // namespace kernsweep::attention
