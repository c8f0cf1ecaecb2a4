// The files that a command names: its program, words that are files, and what it starts by a shell, a
// script or a launcher.
#pragma once

#include <string>
#include <vector>

#include "kernels/api/pack.h"

namespace kernsweep::command {

// Reports each word that is a file, and the file in a word such as --file=data.bin; for programs that `env`
// and the like start, with the changes of their environment. `program`: the file of the first word;
// `written`: a file that each run writes, which is none of them; "": there is none.
void report_words(const ks_context& context, const std::vector<std::string>& given,
                  const std::string& program, const std::string& written);

}  // namespace kernsweep::command
