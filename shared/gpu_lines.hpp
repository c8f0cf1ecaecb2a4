// The lines of `gpus` of a result, one for each GPU that a process had; each begins with its UUID.
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

}  // namespace kernsweep
