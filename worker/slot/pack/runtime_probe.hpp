// Which library a variant really uses on this host: the text that results have as `runtime`. It is found by
// preparing and running one small point without measuring. `kernsweep-slot --runtime` does this for
// `kernsweep doctor`, in a process of its own, so that a library that crashes, prints or changes signal
// handlers affects only its own line of the answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct RuntimeQuestion {
  std::string pack, family, variant;                            // `pack`: path of the shared object
  std::vector<std::pair<std::string, std::string>> parameters;  // as in a sweep file: {"m", "8"}
};

// Runs the point once on operands of zeros. Error: the reason of the pack (library missing, 64-bit
// integers, unsupported), or no such pack, family or variant. "" if the variant reports no runtime.
Result<std::string> runtime_of(const RuntimeQuestion& question);

// Whether the variant can be prepared; nothing is run. All parameters are texts. Meant for kernels without
// operands: a program that is missing, a module that cannot be imported. Error: the reason of the pack.
Status prepared(const RuntimeQuestion& question);

// PACK FAMILY VARIANT [NAME=VALUE...]: writes one line, "runtime <text>" or "reason <text>", to
// `descriptor`. Libraries may print, too: these words and the line's end come last. Exit status: 0 runtime,
// 1 reason, 2 usage.
int answer_runtime_question(const std::vector<std::string>& words, int descriptor);
// The same arguments. Exit status: 0 if prepared() succeeds, otherwise 1 with "reason <text>".
int answer_prepare_question(const std::vector<std::string>& words, int descriptor);
// Whether a library can be opened in the environment of this process. Writes "path <file>" with links
// resolved, or "reason <text>".
int answer_open_question(const std::string& library, int descriptor);

}  // namespace kernsweep
