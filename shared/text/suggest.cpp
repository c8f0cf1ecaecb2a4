#include "shared/text/suggest.hpp"

#include <algorithm>
#include <cctype>

namespace kernsweep {
namespace {

// Optimal string alignment distance, in units of half an edit.
std::size_t distance_of(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> before(width), previous(width), current(width);
  for (std::size_t j = 0; j < width; ++j) previous[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = 2 * i;
    for (std::size_t j = 1; j < width; ++j) {
      const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
      const std::size_t replace = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : 2;
      current[j] = std::min({previous[j] + 2, current[j - 1] + 2, previous[j - 1] + replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 2);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return std::nullopt;
  const std::size_t allowed = 2 * std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> best;
  std::size_t best_distance = allowed + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = distance_of(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = nearest(word, candidates)) return "; did you mean '" + *near + "'?";
  if (candidates.empty()) return "";
  constexpr std::size_t kShown = 12;
  std::string out = "; known: ";
  for (std::size_t i = 0; i < std::min(kShown, candidates.size()); ++i)
    out += (i ? ", " : "") + candidates[i];
  if (candidates.size() > kShown) out += " and " + std::to_string(candidates.size() - kShown) + " more";
  return out;
}

}  // namespace kernsweep
