#include "cli/commands/ask/column_names.hpp"

#include <algorithm>

namespace kernsweep {

Result<std::vector<std::string>> column_names(const std::string& option,
                                              const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t end = std::min(word.find(',', begin), word.size());
      std::string name = word.substr(begin, end - begin);
      begin = end + 1;
      if (name.empty())
        return failure(option + " '" + word +
                       "' has an empty name; write names with one comma between them");
      if (std::ranges::find(names, name) != names.end())
        return failure(option + " names '" + name + "' twice; name each column once");
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace kernsweep
