#include "cli/grammar/replacement_words.hpp"

#include <algorithm>

#include "language/file/command_template.hpp"

namespace kernsweep {

std::vector<std::string> words_of(const Replacements& replacements) {
  std::vector<std::string> words;
  const auto add = [&words](const std::string& option, const std::string& value) {
    if (value.starts_with('-')) {
      words.push_back(option + "=" + value);  // a separate word would be read as an option
    } else {
      words.insert(words.end(), {option, value});
    }
  };
  for (const std::string& axis : replacements.axes) add("--axis", axis);
  for (const std::string& setting : replacements.settings) add("--set", setting);
  if (!replacements.only.empty()) add("--only", replacements.only);
  if (!replacements.sample.empty()) add("--sample", replacements.sample);
  if (replacements.decide) words.emplace_back("--decide");
  if (replacements.quick) words.emplace_back("--quick");
  return words;
}

Status check_printed_alone(const Replacements& replacements) {
  const std::vector<std::string> words = words_of(replacements);
  if (words.empty()) return Done{};
  std::string text;
  for (const std::string& word : words) text += " " + quoted_word(word);
  return failure("--print-sweep prints the file as it is; print it to a file, then: kernsweep run FILE" +
                 text);
}

std::string command_to_go_on(const std::vector<std::string>& words) {
  std::string text = "kernsweep";
  for (const std::string& word : words) {
    if (word != "--again" && !word.starts_with("--again=")) text += " " + quoted_word(word);
  }
  return text;
}

std::vector<std::string> split_at_blanks(const std::string& text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != std::string::npos) {
    const auto end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace kernsweep
