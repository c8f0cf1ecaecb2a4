// A sweep that is typed on the command line, instead of a file: `-c 'gzip -{level} data' -a 'level=[1,
// 9]'`. It becomes the tree of a sweep file, whose nodes have the arguments as their places, and the file's
// text.
#pragma once

#include <string>
#include <vector>

#include "language/file/yaml_tree.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

struct TypedSweep {
  std::vector<std::string> commands;  // -c
  std::vector<std::string> names;     // --name, of the commands in their order; may be fewer
  std::vector<std::string> problem;   // --problem; each may list several, with commas
  std::string build, setup, cleanup;  // empty: none
  std::string metrics;                // as in a sweep file, such as the name of a preset; empty: none
  std::uint64_t threads = 0;          // --threads; 0: not given
};

struct WrittenSweep {
  Node root;
  std::string text;   // what a user would write; it is read as `root`
  Replacements left;  // the replacements that are not part of the text
};

// `replacements`: their axes are those of the sweep, their settings become a part of it. `cores`: those of
// the host, for the axis `threads` if none is given. Errors, with the argument: invalid YAML; an axis that
// no command uses; a placeholder without an axis; a name that occurs twice.
Result<WrittenSweep> written_sweep(const TypedSweep& typed, const Replacements& replacements,
                                   std::size_t cores);

}  // namespace kernsweep
