// Compares an output with its reference: both are read once, in pieces that stay in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/api/pack.h"
#include "worker/slot/verify/elements.hpp"

namespace kernsweep {

// Consecutive elements that share a scale and a tolerance.
struct Stretch {
  std::size_t elements = 0;
  double scale = 0;
  ks_tolerance tolerance{};
  double allowed = 0;  // |x - r|
};

struct Comparison {
  // Largest |x - r| / scale; if the scale is 0, the whole output's scale is used, or 1 if that is 0, too.
  double error = 0;
  double scale = 0;          // largest |r| of the slice that contains element `worst`
  ks_tolerance tolerance{};  // of that slice
  double error_norm = 0;     // Euclidean ||x - r|| / ||r||, or ||x - r|| if ||r|| is 0; finite values only
  // Largest |x - r| / |r|. Nothing if an element has none: r is 0 and x is not, only one of them is finite,
  // or the quotient overflows.
  std::optional<double> error_element;
  std::uint64_t not_finite = 0;  // elements with NaN or infinity in x or r, unless both are equal
  std::uint64_t nan_count = 0;   // of x
  std::uint64_t inf_count = 0;   // of x
  double zero_share = 0;         // of x
  double largest = 0;            // |r| of the finite ones
  bool within = false;           // every |x - r| <= absolute + relative * scale
  // Position of the error that is the largest relative to the allowed one, or of the first `not_finite`
  // element.
  std::uint64_t worst = 0;
};

// Requires that x and r have equal sizes. If both are empty, `within` is true. `slice`:
// elements_of_scale(); 0: all.
Comparison compare(const Elements& x, const Elements& r, const ks_tolerance& tolerance,
                   std::size_t slice = 0);

// The same for elements with different tolerances; `error` is that of element `worst`. Requires that the
// stretches have as many elements as x, and none is empty.
Comparison compare(const Elements& x, const Elements& r, std::span<const Stretch> stretches);

// Largest |r| of the finite ones among `count` elements from `first` on; 0: there is none.
double largest_of(const Elements& r, std::size_t first, std::size_t count);

// The note about an output that is right: "80 of 160 elements of the output are NaN or infinite, as in what
// it is compared with". "" if none is, or all are.
std::string about_not_finite(const Comparison& comparison, std::size_t elements);

// "the output is all zeros", or all NaN or infinite, as after an overflow: there are elements, but they
// show no work. "" for all others. Reads no more elements than needed.
std::string_view empty_of(const Elements& x);
// The same from the counts of a comparison.
std::string_view empty_of(const Comparison& comparison, std::size_t elements);

// "error 0.37 exceeds 1e-05 at element 17 (got 3, reference 2.2)".
std::string describe(const Comparison& comparison, const Elements& x, const Elements& r);

}  // namespace kernsweep
