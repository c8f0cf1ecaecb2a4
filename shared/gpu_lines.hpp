// The lines of `gpus` of a result, one for each GPU that a process had:
//   "GPU-<uuid> NVIDIA H200, compute capability 9.0, ..."
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

inline std::vector<std::string> uuids_of_gpus(std::string_view lines) {
  std::vector<std::string> uuids;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    uuids.emplace_back(line.substr(0, line.find(' ')));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return uuids;
}

// The same with commas between them, as CUDA_VISIBLE_DEVICES wants them.
inline std::string visible_of_gpus(std::string_view lines) {
  std::string visible;
  for (const std::string& uuid : uuids_of_gpus(lines)) visible += (visible.empty() ? "" : ",") + uuid;
  return visible;
}

// The cards by name, the same ones counted: "NVIDIA H200", "2 x NVIDIA H200". Empty without any.
inline std::string cards_of_gpus(std::string_view lines) {
  std::string cards, last;
  std::size_t same = 0;
  const auto add_last = [&] {
    if (same == 0) return;
    cards += (cards.empty() ? "" : " and ") + (same > 1 ? std::to_string(same) + " x " + last : last);
  };
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view card = lines.substr(0, end);
    card.remove_prefix(std::min(card.find(' ') + 1, card.size()));
    card = card.substr(0, card.find(','));
    if (same > 0 && card != last) {
      add_last();
      same = 0;
    }
    last = card;
    ++same;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  add_last();
  return cards;
}

}  // namespace kernsweep
