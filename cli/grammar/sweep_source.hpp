// The source of a sweep: a file, or commands on the command line.
#pragma once

#include <string>

#include "cli/grammar/options.hpp"
#include "language/file/typed_sweep.hpp"
#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

struct SweepSource {
  std::string file;
  TypedSweep typed;
  std::string save;           // --save; empty: not given
  Replacements replacements;  // after reading: those that are not part of the sweep
};

// Declares the file, -c and the options that belong to it, and the replacements.
void add_sweep_source(Options& to, SweepSource& into);

// Reads the sweep. Writes it to `save` and reports that on stderr. Errors: neither a file nor a command, or
// both; options of commands with a file; those of Expansion::read and written_sweep.
Result<Expansion> read_sweep(SweepSource& source);

}  // namespace kernsweep
