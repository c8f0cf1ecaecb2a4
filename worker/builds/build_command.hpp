// A parsed build command. Pure text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct BuildCommand {
  std::vector<std::string> words;  // with the placeholder {out}
  std::size_t compiler = 0;        // index of the compiler's word, after `env` and the like
  bool lists_sources = false;      // the compiler lists the files that it reads (-MD)

  // The words with the path of the file to write. A compiler that lists its sources also writes PATH.d.
  std::vector<std::string> words_for(const std::string& out) const;
};

// Error: a quote that is not closed, no word.
Result<BuildCommand> build_command(std::string_view line);

// The files after the colons of a list in make's form (`-MD` of compilers), each once, sorted.
std::vector<std::string> files_in_rules(std::string_view rules);

}  // namespace kernsweep
