// Settings: from the tree into a Sweep, by the language's table.
#pragma once

#include "language/file/keys.hpp"
#include "language/file/yaml_tree.hpp"
#include "shared/text/duration_text.hpp"

namespace kernsweep {

// "0.5%" or "0.005", from 0 to 1. Error: what is wrong, without a place.
Result<double> share_of(std::string_view text);
// "100ms", "3s", "1h30m": as people write it, for reports.
std::string text_of(Duration duration);

// An error for the first key of `node` that is not in `keys`, with "did you mean"; `x-` keys pass.
// `node` must be a mapping; `what` names it in messages ("a sweep", "measure.samples").
Status check_keys(const Node& node, std::span<const Key> keys, const std::string& what);
bool is_ignored_key(std::string_view name);

// Sets what `node` says for `key`; `path` names it in messages. For maps only the names in `node` are
// changed.
Status apply_setting(const Key& key, const std::string& path, const Node& node, Sweep& sweep);
// Bounds that contradict each other: samples.min above samples.max and the like.
Status check_bounds(const Rules& rules, const std::string& where);

}  // namespace kernsweep
