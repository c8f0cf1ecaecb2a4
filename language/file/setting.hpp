// Sets members of a Sweep from nodes of a sweep file, by the table of keys.
#pragma once

#include "language/file/keys.hpp"
#include "language/file/yaml_tree.hpp"
#include "shared/text/duration_text.hpp"

namespace kernsweep {

// Reads "0.5%" or "0.005", from 0 to 1. Error: what is wrong, without the place.
Result<double> share_of(std::string_view text);
// For reports, rounded: "100 ms", "3 s", "1 h 30 min".
std::string text_of(Duration duration);

// Error: the first key of `node` that is not in `keys`, with "did you mean"; `x-` keys are accepted. `node`
// must be a mapping; `what` names it in messages ("a sweep", "measure.samples").
Status check_keys(const Node& node, std::span<const Key> keys, const std::string& what);
bool is_ignored_key(std::string_view name);

// Sets the target of `key` to the value of `node`; `path` names it in messages. In a mapping only the names
// in `node` are changed.
Status apply_setting(const Key& key, const std::string& path, const Node& node, Sweep& sweep);
// Error: bounds contradict each other: samples.min is above samples.max, and the like.
Status check_bounds(const Rules& rules, const std::string& where);

}  // namespace kernsweep
