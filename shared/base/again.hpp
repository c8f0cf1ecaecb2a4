// Which jobs that have a result already are measured all the same.
#pragma once

#include <cstdint>
#include <string_view>

namespace kernsweep {

enum class Again : std::uint8_t { no = 1, doubtful, all };  // doubtful: graded C, or without a result

// As a command line names it: "doubtful", "all"; empty: no.
inline Again again_of(std::string_view word) {
  return word.empty() ? Again::no : word == "doubtful" ? Again::doubtful : Again::all;
}

}  // namespace kernsweep
