// The complete description of an input tensor: any host makes the same bytes from it.
//
// A tensor is either generated (distribution, seed) or read from a file whose content hash is part of the
// description. Two descriptions with the same canonical text are the same tensor, whatever it is used for;
// where the bytes lie (host, NUMA node, path of the file) is not part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/digest.hpp"
#include "shared/base/dtype.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Numbers as in ks_distribution of the pack interface.
enum class Distribution : std::int32_t {
  uniform = 1,  // floats in [a, b)
  normal = 2,   // mean a, standard deviation b
  kaiming = 3,  // normal, mean 0, deviation sqrt(2 / fan_in) (He et al. 2015)
  xavier = 4,   // uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)
  integers = 5  // whole numbers from a to b, both included
};

std::string_view name_of(Distribution distribution);
std::optional<Distribution> distribution_numbered(std::int64_t number);

struct TensorFile {
  std::string path;  // ends in .npy or .safetensors
  std::string name;  // name of the tensor within a .safetensors file; empty for .npy
  std::optional<Digest>
      content_hash;  // XXH3-128 of the whole file; the arena fills it in where it is absent
  friend bool operator==(const TensorFile&, const TensorFile&) = default;
};

// Reads "weights.npy" or "weights.safetensors:name" of a sweep file; nothing if it is not such a file.
std::optional<TensorFile> tensor_file_of(const std::string& text);

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
