// A summary of an output that was not compared with a reference, so that outputs can be compared later and
// across hosts: at most about 250 bytes as text. Numbers are kept as weighted sums, so that two outputs
// that differ by rounding agree; text and whole numbers also as a hash.
//
// Element i of an array is multiplied by a fixed pseudo-random weight from -1.5 to -0.5 or 0.5 to 1.5 and
// added to sum i mod 8. If two arrays differ in one element by d, one sum differs by 0.5 d at least.
// Rounding errors of equal size and random sign grow in a sum as the norm does, so sums are compared
// relative to the norm. All numbers but `largest` are divided by `largest`, so that nothing overflows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

struct OutputSample {
  static constexpr std::size_t kSums = 8;

  // How many runs had this output, within the tolerance; a single run does not show that it depends on the
  // setting only. 0: the runs of the job had different outputs, and all other members are empty.
  std::uint32_t runs = 0;
  // A data type ("f32"); for the output of a program "whole" or "real" if each of its words is a number,
  // else "text"; "none": no output.
  std::string type;
  std::vector<std::int64_t> shape;  // printed numbers: their count; text: empty
  double largest = 0;               // largest |x| of the finite elements
  double norm = 0;                  // Euclidean, of the finite elements
  std::uint64_t nan_count = 0, inf_count = 0;
  std::array<double, kSums> sums{};
  // Text and whole numbers: Digest::hex over what is compared exactly; else empty. If the type is a float,
  // it is the hash of the whole numbers among the elements, which count as 0 in the numbers above.
  std::string hash;

  bool is_mixed() const;  // has floats and whole numbers
  bool has_numbers() const { return !type.empty() && type != "text" && type != "none"; }
};

// Computes the numbers of a sample. Requires two passes over the same elements in the same order, in pieces
// of any length: see() for all, then add() for all, then finish().
class OutputSums {
 public:
  void see(std::span<const double> piece);
  void add(std::span<const double> piece);
  void finish(OutputSample& out) const;

 private:
  double largest_ = 0, squares_ = 0;
  std::uint64_t nan_count_ = 0, inf_count_ = 0, at_ = 0;
  std::array<double, OutputSample::kSums> sums_{};
};

// One line of words such as `runs=2 type=f32 shape=4x8 max=1.5 ...`.
std::string text_of(const OutputSample& sample);
// Nothing if text_of() cannot have made `text`: it may come from a peer or a damaged file.
std::optional<OutputSample> output_sample_of(std::string_view text);

// Whether both samples may be of the same output. Text and whole numbers of one type must be equal; of two
// mixed outputs both the floats and the whole numbers must agree; a mixed output cannot be compared with
// one of floats alone. Other numbers agree within the larger tolerance of their types, relative to the
// norm: 1e-8 for f64, 1e-5 for printed numbers, 1e-4 for f32, 1e-2 for f16, 5e-2 for bf16, 0.25 for 8 bits.
bool agree(const OutputSample& a, const OutputSample& b);

}  // namespace kernsweep
