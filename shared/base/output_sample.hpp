// What is kept of an output that no reference has judged, so that outputs can be compared later, and on
// other hosts: at most about 250 bytes as text. Numbers are kept as weighted sums, so that two outputs
// agree although their roundings differ; text and whole numbers also as a hash.
//
// Element i of an array goes, times a fixed pseudo-random weight from -1.5 to -0.5 or 0.5 to 1.5, into sum
// i mod 8. Of two arrays that differ in one element by d one sum differs by 0.5 d at least. Rounding errors
// of equal size and random sign grow in a sum as the norm does, which is what sums are held against. All
// numbers but `largest` are divided by `largest`, so that nothing overflows.
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

  // How many runs had this output, within the tolerance; one run alone does not show that it depends on
  // the setting only. 0: the runs of the job had different outputs, and all else is empty.
  std::uint32_t runs = 0;
  // A data type ("f32"); of what a program prints "whole" or "real" if each of its words is a number, else
  // "text"; "none": no output.
  std::string type;
  std::vector<std::int64_t> shape;  // of printed numbers their count; of text none
  double largest = 0;               // largest |x| of the finite elements
  double norm = 0;                  // Euclidean, of the finite elements
  std::uint64_t nan_count = 0, inf_count = 0;
  std::array<double, kSums> sums{};
  // Of text and whole numbers: Digest::hex over what is compared exactly; else empty. With a type of floats
  // it is that of the whole numbers among them, which count as 0 for the numbers above.
  std::string hash;

  bool is_mixed() const;  // floats and whole numbers
  bool has_numbers() const { return !type.empty() && type != "text" && type != "none"; }
};

// Fills in what is known of the elements. Requires two passes over the same elements in the same order, in
// pieces of any length: see() for all, then add() for all, then finish().
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
// Nothing if `text` is none that text_of() has made: it may come from a peer or a damaged file.
std::optional<OutputSample> output_sample_of(std::string_view text);

// Whether both samples may be of one output. Text and whole numbers of one type must be equal, floats and
// whole numbers in both kinds; beside an output of floats alone nothing is known of a mixed one. Other
// numbers agree within the larger tolerance of their types, relative to the norm: 1e-8 for f64, 1e-5 for
// printed numbers, 1e-4 for f32, 1e-2 for f16, 5e-2 for bf16, 0.25 for 8 bits.
bool agree(const OutputSample& a, const OutputSample& b);

}  // namespace kernsweep
