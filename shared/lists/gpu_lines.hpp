// The GPUs of a process, as text in its results (OutcomeBody.gpus): one line for each,
//   "GPU-<uuid> NVIDIA H200, compute capability 9.0, ..."
// UUID and name are escaped (escaped_text.hpp), so that the first blank and the first comma end them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/text/escaped_text.hpp"

namespace kernsweep {

struct GpuLine {
  std::string uuid;
  std::string name;
  std::string rest;  // for display
};

// Appends a line.
inline void append_gpu(std::string& lines, const GpuLine& gpu) {
  if (!lines.empty()) lines += '\n';
  append_escaped(lines, gpu.uuid, " ");
  append_escaped(lines += ' ', gpu.name, ",");
  append_escaped(lines += ", ", gpu.rest);
}

// Calls use(GpuLine) for each line that is not empty.
template <class Use>
void each_gpu(std::string_view lines, Use use) {
  each_line(lines, [&](std::string_view line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view behind = line.substr(std::min(blank + 1, line.size()));
    const std::size_t comma = std::min(behind.find(','), behind.size());
    use(GpuLine{unescaped(line.substr(0, blank)), unescaped(behind.substr(0, comma)),
                unescaped(behind.substr(std::min(comma + 2, behind.size())))});
  });
}

inline std::vector<std::string> uuids_of_gpus(std::string_view lines) {
  std::vector<std::string> uuids;
  each_gpu(lines, [&](GpuLine gpu) { uuids.push_back(std::move(gpu.uuid)); });
  return uuids;
}

// The UUIDs separated by commas, as CUDA_VISIBLE_DEVICES requires.
inline std::string visible_of_gpus(std::string_view lines) {
  std::string visible;
  for (const std::string& uuid : uuids_of_gpus(lines)) visible += (visible.empty() ? "" : ",") + uuid;
  return visible;
}

// The names of the GPUs; equal names that follow each other are counted: "NVIDIA H200", "2 x NVIDIA H200".
// Empty without any.
inline std::string cards_of_gpus(std::string_view lines) {
  std::string cards, last;
  std::size_t same = 0;
  const auto add_last = [&] {
    if (same == 0) return;
    cards += (cards.empty() ? "" : " and ") + (same > 1 ? std::to_string(same) + " x " + last : last);
  };
  each_gpu(lines, [&](GpuLine gpu) {
    if (same > 0 && gpu.name != last) {
      add_last();
      same = 0;
    }
    last = std::move(gpu.name);
    ++same;
  });
  add_last();
  return cards;
}

}  // namespace kernsweep
