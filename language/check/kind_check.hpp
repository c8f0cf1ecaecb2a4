// Checks the kinds of values against the kinds of a kernel's parameters: `m: one` would fail every job on
// its host, so it is reported before the first job.
//
// All values of a column are of one kind, or null, so a column fits a parameter as a whole or not at all,
// and a range of 10^9 numbers is checked as fast as one value. A clash is an error only at a point that is
// measured with the variant that has the parameter: `when`, zips, records, filters and includes may keep
// the two apart. So the check searches for such a point: it tries all included points, and the other points
// in their order up to kPointsTried; if there are more, it tries kPointsTried of them, evenly drawn. So no
// sweep that a host would accept is rejected, and a clash at less than about one point in 10^5 of a larger
// sweep may be found only by its host.
#pragma once

#include <string_view>

#include "language/check/catalogue.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

inline constexpr std::uint64_t kPointsTried = std::uint64_t{1} << 20;

// Whether a host passes `value` to a parameter of `kind` ("integer", "float", "boolean", "text"; any other
// kind accepts everything). The only conversion is from an integer to a float: 7.0 is not an integer, true
// is not 1 and "7" is not a number. null is "not set" and always accepted. Binding::fill in the slot does
// the same.
bool is_value_of(std::string_view kind, const Value& value);

// Error: a value that its parameter does not accept, as written, with its place if that is known, otherwise
// the place of its axis; the parameter, the kind that it needs, and how to write that. Derived columns are
// not checked, because no kernel gets them.
Status check_kinds(const Sweep& sweep, const Expansion& expansion, const CatalogueFamily& family);

}  // namespace kernsweep
