// The names of columns that an option takes, several in a word: --by m,n.
#pragma once

#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

// The names of all words, split at commas. Errors: an empty name, or one that occurs twice, which is
// usually a typing error. `option` is for the message. Does not check whether a sweep has these columns.
Result<std::vector<std::string>> column_names(const std::string& option,
                                              const std::vector<std::string>& words);

}  // namespace kernsweep
