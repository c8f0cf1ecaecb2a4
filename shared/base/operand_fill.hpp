// How an operand is filled, in the syntax of a sweep file: "normal(0, 0.02) density 0.1", "weights.npy".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Numbers as in ks_distribution of the pack interface.
enum class Distribution : std::int32_t {
  uniform = 1,   // floats in [a, b)
  normal = 2,    // mean a, standard deviation b
  kaiming = 3,   // normal, mean 0, deviation sqrt(2 / fan_in) (He et al. 2015)
  xavier = 4,    // uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)
  integers = 5,  // whole numbers from a to b, both included
  outliers = 6   // normal, mean 0, deviation 1; every b-th of the last dimension times a
};

std::string_view name_of(Distribution distribution);
// Returns nothing if no distribution has this number.
std::optional<Distribution> distribution_numbered(std::int64_t number);
// Whether the distribution has two arguments.
bool has_bounds(Distribution distribution);

struct TensorFile {
  std::string path;  // ends in .npy or .safetensors
  std::string name;  // name of the tensor within a .safetensors file; empty for .npy
  std::optional<Digest>
      content_hash;  // XXH3-128 of the whole file; the arena fills it in where it is absent
  friend bool operator==(const TensorFile&, const TensorFile&) = default;
};

// Reads "weights.npy" or "weights.safetensors:name" of a sweep file; nothing if it is neither.
std::optional<TensorFile> tensor_file_of(const std::string& text);

struct OperandFill {
  std::optional<TensorFile> file;            // if set, all other members are empty
  std::optional<Distribution> distribution;  // set if there is no file
  double a = 0, b = 0;                       // of uniform, normal, integers and outliers
  std::optional<double> density;  // above 0, at most 1; not set: as the operand's description has it
};

// Error: the text, and the valid forms. TensorSpec::valid checks whether the numbers suit the operand (a
// below b, whole numbers that its type can hold).
Result<OperandFill> operand_fill_of(const std::string& text);

}  // namespace kernsweep
