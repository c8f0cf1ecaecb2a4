// Tensors of one page, and what is in them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensors/arena.hpp"
#include "tensors/generator.hpp"
#include "tensors/mapping.hpp"

namespace kernsweep::testing_tensors {

constexpr std::uint64_t kPage = 4096;

// One page of f32; the seed distinguishes tensors.
inline TensorSpec page_of(std::uint64_t seed) {
  TensorSpec spec;
  spec.shape = {32, 32};
  spec.seed = seed;
  return spec;
}

inline std::vector<std::byte> bytes_at(const Placed& placed) {
  const auto mapping = TensorMapping::open(placed.path, placed.bytes);
  KS_ASSERT(mapping.has_value());
  return {mapping->bytes().begin(), mapping->bytes().end()};
}

inline std::vector<std::byte> generated(const TensorSpec& spec) {
  std::vector<double> room((spec.bytes() + 7) / 8);
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(room.data()), spec.bytes());
  KS_ASSERT(generate(spec, bytes, 1).has_value());
  return {bytes.begin(), bytes.end()};
}

}  // namespace kernsweep::testing_tensors
