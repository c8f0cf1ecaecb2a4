// Guesses the program of a file that `import` does not read, and suggests what to do with it.
#pragma once

#include <string>
#include <string_view>

#include "results/read/foreign_file.hpp"

namespace kernsweep {

// "looks like a result of pytest-benchmark: measure ..."; empty: not recognised. `text`: a file that is not
// JSON.
std::string guess_of_text(std::string_view text);
// `top`: of JSON. Never returns a form that `import` reads.
std::string guess_of_json(const ForeignJson& top);
// The outermost content of JSON, for a message: "an object with the members a, b".
std::string outline_of(const ForeignJson& top);

}  // namespace kernsweep
