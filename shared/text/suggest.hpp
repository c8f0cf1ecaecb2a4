// "did you mean": the nearest known word.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours; letter case
// counts half) to `word`, if that is at most a third of the word's length, and at least one edit is always
// allowed.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'threads'?" or, when nothing is near, "; known: a, b, c" (at most 12, then "and 5 more").
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kernsweep
