// The names of columns that an option takes, several in a word: --by m,n.
#pragma once

#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

// The names of all words, split at commas. Errors: a name that is empty, or that stands twice, which is
// mostly a slip for another one. `option` is for the message. Whether a sweep has these columns is not
// looked at.
Result<std::vector<std::string>> column_names(const std::string& option,
                                              const std::vector<std::string>& words);

}  // namespace kernsweep
