// The complete description of an input tensor, from which any host makes the same bytes.
//
// A tensor is either generated (distribution, seed) or read from a file whose content hash is part of the
// description. Two descriptions with the same canonical text are the same tensor, whatever it is used for;
// the location of the bytes (host, NUMA node, path of the file) is not part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/digest.hpp"
#include "shared/base/dtype.hpp"
#include "shared/base/operand_fill.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Name and version of the generator. It changes whenever the same description would give other bytes; the
// inputs of old results then have other identities.
inline constexpr std::string_view kGenerator = "philox4x32-7/2";

inline constexpr int kRankMax = 8;  // dimensions of a tensor

struct TensorSpec {
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;  // row-major, the first dimension is the slowest; empty: one element
  Distribution distribution = Distribution::uniform;
  double a = 0.0;
  double b = 1.0;
  std::int64_t fan_in = 0;
  std::int64_t fan_out = 0;
  double density = 1.0;  // probability that an element is kept; the others are exact zeros
  std::uint64_t seed = 0;
  std::optional<TensorFile> file;  // if set, distribution, a, b, fans, density and seed have no meaning

  // Done, or an error: what is wrong with the description and what to write instead. All other members
  // require valid().
  Status valid() const;

  std::uint64_t elements() const;
  std::uint64_t bytes() const;

  // One line of text with everything that decides the bytes and nothing else, the generator's version
  // included. Requires: a file has its content_hash.
  std::string canonical() const;
  Digest identity() const;  // digest_of(canonical())

  // Without the seed: "uniform(0, 1)", "normal(0, 1) density 0.5". Requires: no file.
  std::string distribution_text() const;
  // For display: "f32[128,256] uniform(0, 1) seed 7".
  std::string summary() const;

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// Product of the extents times the element size, in bytes. Errors: an unknown dtype, a negative extent,
// more than 8 extents, a size that does not fit into 63 bits.
Result<std::uint64_t> bytes_of(Dtype dtype, const std::vector<std::int64_t>& shape);

// "[2,3]".
std::string text_of_shape(const std::vector<std::int64_t>& shape);

}  // namespace kernsweep
