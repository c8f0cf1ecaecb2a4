// The text of a file of another program as JSON (foreign_results.hpp), also if it is not strictly JSON.
//
// Programs write values that JSON does not have (NaN, inf, -nan(ind), 1e400, NA, None, +5.0): each becomes
// a text, so that only the row that needs the number is invalid. Texts with bytes that are not UTF-8, with
// control characters or unknown escapes are repaired, and counted. A truncated file is read up to its last
// complete row, also if something else follows (zero bytes after a crash, a message of the shell). Text
// that a program has printed into the same file, before or after its results, is left out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

using ForeignJson = nlohmann::ordered_json;

// A parsed file. The entries of `cache` of a cache file of Kernel Tuner are removed one by one: there may
// be 100,000, and the time to find a name in a ForeignJson is linear in its members.
struct ForeignFile {
  ForeignJson top;
  std::vector<std::pair<std::string, ForeignJson>> cache;
  bool closed = true;          // false: the closing brackets were missing
  bool row_lost = false;       // together with a row that was not complete
  std::size_t repaired = 0;    // number of texts
  std::string first_repaired;  // as it was repaired
  std::string around;          // the beginning of text before or after the JSON; empty: there was none
};

// Errors: it is not JSON, with line and column; it is nested too deep.
Result<ForeignFile> parse_foreign(std::string_view text);

}  // namespace kernsweep
