// Reads `verify.reference`: the text of a variant, or a mapping.
#pragma once

#include "language/file/yaml_tree.hpp"
#include "shared/base/reference_rule.hpp"

namespace kernsweep {

// The forms: `naive`; `{setting: {algorithm: honest}}`, in short `{algorithm: honest}`; `{command: ...}`;
// `{python: module:function}`; `{file: expected.npy}`. Values of a setting are kept as written, because the
// columns that they belong to decide their kind (Plan::resolve). A list of words becomes a text. Errors,
// with the place: another kind of node, two forms at once, a command or path with braces that are not
// closed.
Result<ReferenceRule> read_reference(const std::string& path, const Node& node);

// The references of a sweep file, including those of overrides, as written; `root` is the whole file.
std::vector<const Node*> references_of(const Node& root);

}  // namespace kernsweep
