// Whole numbers, and the zeros of sparse tensors. Internal, see loops_body.hpp.
//
// The probability of each of n numbers, from k random bits, is floor(2^k / n) / 2^k or 2^-k more: the
// relative difference is at most about n / 2^k. No number is drawn again to remove it: the number of words
// per element would then depend on their values, and an element could not be made from its index alone.
#pragma once

#include <type_traits>

#include "tensors/loops_words.hpp"

namespace kernsweep {
namespace {

// first + offset. Requires: that fits Element.
template <class Element>
struct Sum {
  explicit Sum(std::int64_t run_first) : first(static_cast<std::uint32_t>(run_first)) {}
  Element operator()(std::uint32_t offset) const {
    return static_cast<Element>(static_cast<std::int32_t>(first + offset));
  }
  std::uint32_t first;  // arithmetic modulo 2^32 is enough for types of at most 32 bits
};
template <>
struct Sum<std::int64_t> {
  explicit Sum(std::int64_t run_first) : first(run_first) {}
  std::int64_t operator()(std::uint32_t offset) const { return first + static_cast<std::int64_t>(offset); }
  std::int64_t first;
};
template <>
struct Sum<double> {
  explicit Sum(std::int64_t run_first) : first(static_cast<double>(run_first)) {}
  double operator()(std::uint32_t offset) const {
    return first + static_cast<double>(static_cast<std::int32_t>(offset));
  }
  double first;
};

template <class Element>
void integers_of_half(const std::uint32_t* __restrict words, std::size_t count, IntegerRun run,
                      void* __restrict out) {
  const Half* __restrict halves = halves_of(words);
  auto* __restrict elements = static_cast<Element*>(out);
  const auto numbers = static_cast<std::uint16_t>(run.numbers);
  const Sum<Element> sum(run.first);
  for (std::size_t i = 0; i < count; ++i)
    elements[i] = sum((static_cast<std::uint32_t>(halves[i]) * numbers) >> 16);
}

template <class Element>
void integers_of_word(const std::uint32_t* __restrict words, std::size_t count, IntegerRun run,
                      void* __restrict out) {
  auto* __restrict elements = static_cast<Element*>(out);
  const auto numbers = static_cast<std::uint32_t>(run.numbers);
  const Sum<Element> sum(run.first);
  for (std::size_t i = 0; i < count; ++i)
    elements[i] = sum(static_cast<std::uint32_t>((static_cast<std::uint64_t>(words[i]) * numbers) >> 32));
}

// Converts a whole number from -2^53 to 2^53 exactly, with operations that vectorise on every processor:
// its halves become fractions of doubles of 2^52 and 2^84.
inline double double_of(std::int64_t whole) {
  const auto bits = static_cast<std::uint64_t>(whole);
  const double low = double_of_bits(0x4330000000000000u | (bits & 0xffffffffu));
  const double high = double_of_bits(0x4530000080000000u ^ bits >> 32);
  return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
}

template <class Element>
void integers_of_pair(const std::uint32_t* __restrict words, std::size_t count, IntegerRun run,
                      void* __restrict out) {
  const Pair* __restrict offsets = pairs_of(words);
  auto* __restrict elements = static_cast<Element*>(out);
  for (std::size_t i = 0; i < count; ++i) {
    const auto whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(run.first) + offsets[i]);
    if constexpr (sizeof(Element) == 4) {
      elements[i] = static_cast<Element>(static_cast<std::int32_t>(whole));
    } else if constexpr (std::is_same_v<Element, double>) {
      elements[i] = double_of(whole);
    } else {
      elements[i] = whole;
    }
  }
}

template <class Element>
bool thin(const std::uint32_t* __restrict words, std::size_t count, std::uint32_t limit,
          void* __restrict out) {
  using Stored [[gnu::may_alias]] = Element;
  const Half* __restrict halves = halves_of(words);
  auto* __restrict elements = static_cast<Stored*>(out);
  const auto last = static_cast<std::uint16_t>(limit);
  std::uint16_t equal = 0;
  for (std::size_t i = 0; i < count; ++i)
    equal = static_cast<std::uint16_t>(equal | (halves[i] == last ? 0xffff : 0));
  for (std::size_t i = 0; i < count; ++i)
    elements[i] = static_cast<Element>(elements[i] & (halves[i] <= last ? static_cast<Element>(-1) : 0));
  return equal != 0;
}

}  // namespace
}  // namespace kernsweep
