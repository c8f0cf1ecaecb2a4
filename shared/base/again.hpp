// Which jobs are measured again although they have a result.
#pragma once

#include <cstdint>
#include <string_view>

namespace kernsweep {

enum class Again : std::uint8_t { no = 1, doubtful, all };  // doubtful: graded C, or without a result

// Reads an option of the command line: "doubtful", "all"; empty: no.
inline Again again_of(std::string_view word) {
  return word.empty() ? Again::no : word == "doubtful" ? Again::doubtful : Again::all;
}

}  // namespace kernsweep
