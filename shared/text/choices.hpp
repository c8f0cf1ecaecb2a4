// Lists of words as one text, "nchw|nhwc": choices of a parameter, names in a pack.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// The words of "nchw|nhwc", in their order; none of an empty text.
inline std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> words;
  while (!choices.empty()) {
    const auto bar = choices.find('|');
    words.emplace_back(choices.substr(0, bar));
    choices = bar == std::string_view::npos ? std::string_view() : choices.substr(bar + 1);
  }
  return words;
}

}  // namespace kernsweep
