#include "tests/recorded/recording.hpp"

#include <fstream>
#include <sstream>

namespace kernsweep::recorded {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

bool append_bytes(const std::string& hex, std::string& out) {
  if (hex.size() % 2 != 0) return false;
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    const auto high = kDigits.find(hex[at]);
    const auto low = kDigits.find(hex[at + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    out.push_back(static_cast<char>(high << 4 | low));
  }
  return true;
}

}  // namespace

std::string text_of(const Line& line) {
  std::string text = std::to_string(line.peer) + (line.to_coordinator ? " > " : " < ");
  for (const char each : line.bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text + "\n";
}

Result<std::vector<Line>> read_recording(const std::string& path) {
  std::ifstream file(path);
  if (!file) return failure(path + " cannot be read");
  std::vector<Line> lines;
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.empty() || text.front() == '#') continue;
    std::istringstream words(text);
    Line line;
    std::string direction, hex;
    words >> line.peer >> direction >> hex;
    line.to_coordinator = direction == ">";
    if (line.peer == 0 || (direction != ">" && direction != "<") || !append_bytes(hex, line.bytes))
      return failure(path + ":" + std::to_string(number) + ": is no line of a recording");
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace kernsweep::recorded
