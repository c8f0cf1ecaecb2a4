#include "worker/host/doctor/linux_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "shared/text/trimmed.hpp"

namespace kernsweep {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::vector<std::string> lines_in(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::optional<std::string> line_in(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return std::string(trimmed(line));
}

std::optional<std::int64_t> number_of(std::string_view text) {
  text = trimmed(text);
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> number_in(const std::string& path) {
  const auto line = line_in(path);
  return line ? number_of(*line) : std::nullopt;
}

std::optional<std::uint64_t> positive_in(const std::string& path) {
  const auto number = number_in(path);
  if (!number || *number <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::string> field_in(const std::vector<std::string>& lines, std::string_view key) {
  for (const std::string& line : lines) {
    if (!line.starts_with(key)) continue;
    std::string_view rest = std::string_view(line).substr(key.size());
    if (rest.empty() || (kBlanks.find(rest.front()) == std::string_view::npos && rest.front() != ':'))
      continue;
    rest = trimmed(rest);
    if (rest.starts_with(':')) rest = trimmed(rest.substr(1));
    return std::string(rest);
  }
  return std::nullopt;
}

std::string chosen_in(const std::string& path) {
  const std::string line = line_in(path).value_or("");
  const auto open = line.find('[');
  const auto close = line.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return line;
  return line.substr(open + 1, close - open - 1);
}

std::vector<std::uint32_t> cpu_list_of(std::string_view text) {
  constexpr std::int64_t kCpusMax = 1 << 16;  // larger numbers: the list is damaged
  std::vector<std::uint32_t> cpus;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    const auto dash = part.find('-');
    const auto first = number_of(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_of(part.substr(dash + 1));
    if (first && last && *first >= 0 && *last < kCpusMax)
      for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<std::uint32_t>(cpu));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return cpus;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trimmed(text)).empty()) {
    const auto end = std::min(text.find_first_of(kBlanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace kernsweep
