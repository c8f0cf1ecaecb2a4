// The description of an operand of a user's function in a sweep file: "f32[64, 512] normal(0, 0.02)
// constant".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/dtype.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// What may happen to the operand's content between the calls of a distrusted job, or within a call.
enum class OperandRole : std::uint8_t {
  varying,   // other content in each call, which a call only reads
  constant,  // the same in all calls
  in_place,  // a call may overwrite it; its content is restored before the next call
  output,    // a call writes it; only of a `source` sweep
};

struct OperandText {
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;  // at most 8 extents, none negative; none: one element
  std::string distribution;         // as `input.NAME` takes it; "": the default of the data type
  OperandRole role = OperandRole::varying;
};

// DTYPE[EXTENT, ...], then optionally a distribution, then optionally a role. Error: what is wrong, and the
// form. The distribution is not checked.
Result<OperandText> operand_of_text(std::string_view text);

// The columns of a sweep that describe operands: "operand.x" for the operand x.
inline constexpr std::string_view kOperandColumn = "operand.";

}  // namespace kernsweep
