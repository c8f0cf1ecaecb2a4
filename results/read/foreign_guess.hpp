// What a file looks like that `import` does not read, and what to do with it.
#pragma once

#include <string>
#include <string_view>

#include "results/read/foreign_file.hpp"

namespace kernsweep {

// "looks like a result of pytest-benchmark: measure ..."; empty: like nothing that is known here. `text`: a
// file that is no JSON.
std::string guess_of_text(std::string_view text);
// `top`: of JSON. Never of a form that is read.
std::string guess_of_json(const ForeignJson& top);
// What JSON holds in the first place, for a message: "an object with the members a, b".
std::string outline_of(const ForeignJson& top);

}  // namespace kernsweep
