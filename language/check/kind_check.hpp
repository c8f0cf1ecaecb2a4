// Checks the kinds of values against the kinds of a kernel's parameters: `m: one` would fail every job at
// its host, so it is reported before the first job.
//
// All values of a column are of one kind, or null, so a column clashes with a parameter as a whole, and a
// range of 10^9 numbers is as quick as one value. A clash matters only at a point that is measured, with
// the variant that has the parameter: what `when`, zips, records, filters and includes keep apart is kept
// apart here too, because a clash is believed only when such a point is found. All included points and the
// others up to kPointsTried are tried in their order; of more than that, kPointsTried drawn evenly. So
// nothing is refused that a host would take, and what clashes at no more than about one point in 10^5 of a
// larger sweep may be left for its host to refuse.
#pragma once

#include <string_view>

#include "language/check/catalogue.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

inline constexpr std::uint64_t kPointsTried = std::uint64_t{1} << 20;

// Whether a host gives `value` to a parameter of `kind` ("integer", "float", "boolean", "text"; any other:
// whatever it is). Only an integer for a float is converted: 7.0 is no integer, true no 1 and "7" no
// number. null is "not set" and fits everywhere. The counterpart in the slot is Binding::fill.
bool is_value_of(std::string_view kind, const Value& value);

// Error: a value that its parameter cannot take, as written, with its place where that is known, otherwise
// with that of its axis; the parameter, the kind that it needs, and how to write that. What `derive`
// computes reaches no kernel and is not looked at.
Status check_kinds(const Sweep& sweep, const Expansion& expansion, const CatalogueFamily& family);

}  // namespace kernsweep
