// The reference of a job's output: `verify.reference` of a sweep file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "shared/base/value.hpp"

namespace kernsweep {

enum class ReferenceKind : std::uint8_t { variant = 1, setting, command, python, file };

std::string_view name_of(ReferenceKind kind);  // "setting", as a sweep file names it

struct ReferenceRule {
  ReferenceKind kind = ReferenceKind::variant;
  // variant: its name, or empty for the family's own. command, file: with `{NAME}` for columns, until the
  // coordinator fills them in for a job. python: module:function. setting: empty.
  std::string text;
  // setting: the columns whose values are replaced, with the new values; null: not set.
  std::map<std::string, Value> setting;

  ReferenceRule() = default;
  // A variant.
  ReferenceRule(const char* variant) : text(variant) {}
  ReferenceRule(std::string variant) : text(std::move(variant)) {}

  // True if the family's own reference is meant.
  bool is_own() const { return kind == ReferenceKind::variant && text.empty(); }
  friend bool operator==(const ReferenceRule&, const ReferenceRule&) = default;
};

// For display: "variant naive", "setting algorithm=honest", "command ./reference -n 4". For the family's
// own reference: "the family's own".
std::string text_of(const ReferenceRule& rule);

// The tolerance of a comparison with a reference from outside the kernel (a function, the output of a
// command or of another setting, a file) for which neither the sweep nor the kernel sets one. It is
// relative to the largest value of the reference and depends on the data type. 0 for whole numbers, text
// and unknown types: they must be equal.
//
// 16 bits: as torch.testing.assert_close compares each element, twice that for f16, whose sums vary. f32: a
// sum of 4,096 numbers of one sign, added one after the other, has an error of at most 5e-6 (rounding of
// 2^-24 relative at each step, as a random walk, 4.5 standard deviations); factors rounded to TF32 change
// products of random signs by 3e-4, and those of bf16 by 2e-3. f64: a result that was computed in f32 has
// an error of 3e-8 or more.
double rounding_tolerance(std::string_view dtype);

}  // namespace kernsweep
