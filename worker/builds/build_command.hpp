// The command of a build, taken apart. Pure text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct BuildCommand {
  std::vector<std::string> words;  // with the place {out}
  std::size_t compiler = 0;        // the word that names it, behind `env` and its like
  bool lists_sources = false;      // the compiler lists the files that it reads (-MD)

  // With the path of the file to write. A compiler that lists its sources writes PATH.d, too.
  std::vector<std::string> words_for(const std::string& out) const;
};

// Error: a quote that is not closed, no word.
Result<BuildCommand> build_command(std::string_view line);

// The files that a list in make's form names behind its colons (`-MD` of compilers), each once, sorted.
std::vector<std::string> files_in_rules(std::string_view rules);

}  // namespace kernsweep
