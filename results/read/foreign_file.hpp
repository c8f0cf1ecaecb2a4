// The text of a file of another program as JSON (foreign_results.hpp), also where it is not quite JSON.
//
// Programs write values that JSON does not have (NaN, inf, -nan(ind), 1e400, NA, None, +5.0): each becomes
// its text, so that only the row that needs the number is odd. A file that was cut off is read up to its
// last whole row, also where something else follows (zero bytes after a crash, a message of the shell).
// What a program has printed into the same file, before or behind its results, is left out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

using ForeignJson = nlohmann::ordered_json;

// A parsed file. The entries of `cache` of a cache file of Kernel Tuner are taken out one by one: there may
// be 100,000, and looking for a name in a ForeignJson takes as long as it has members.
struct ForeignFile {
  ForeignJson top;
  std::vector<std::pair<std::string, ForeignJson>> cache;
  bool closed = true;     // false: the brackets at its end were missing
  bool row_lost = false;  // with them a row that was not whole
  std::string around;     // the beginning of what was before or behind the JSON; empty: nothing was
};

// Errors: it is no JSON, with line and column; it is nested too deep.
Result<ForeignFile> parse_foreign(std::string_view text);

}  // namespace kernsweep
