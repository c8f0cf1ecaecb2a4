// A sweep that is typed on the command line, in place of a file: `-c 'gzip -{level} data' -a 'level=[1,
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
  std::string metrics;                // as a sweep file has it, such as the name of a preset; empty: none
  std::uint64_t threads = 0;          // --threads; 0: not given
};

struct WrittenSweep {
  Node root;
  std::string text;   // what a person would write; it reads as `root`
  Replacements left;  // of the replacements, those that are no part of the text
};

// `replacements`: their axes are those of the sweep, their settings become a part of it. `cores`: of the
// host, for the axis `threads` where none is given.
// Errors, with the argument: no YAML; an axis that no command uses; a place without axis; a name that is
// there twice.
Result<WrittenSweep> written_sweep(const TypedSweep& typed, const Replacements& replacements,
                                   std::size_t cores);

}  // namespace kernsweep
