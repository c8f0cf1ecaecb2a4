#include "worker/process/last_words.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

constexpr std::string_view kThisThread = "Current thread ";
constexpr std::size_t kShown = 300;  // bytes

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

// `  File "/a/bench.py", line 12 in prepare` as "bench.py:12 in prepare"; empty if it is no such line.
std::string call_in(std::string_view line) {
  constexpr std::string_view kFile = "  File \"", kLine = "\", line ";
  const auto path_end = line.find(kLine);
  if (!line.starts_with(kFile) || path_end == std::string_view::npos) return "";
  std::string_view path = line.substr(kFile.size(), path_end - kFile.size());
  path = path.substr(path.rfind('/') + 1);
  return std::string(path) + ":" + std::string(line.substr(path_end + kLine.size()));
}

// The innermost calls of the thread that faulthandler names as the current one. Nothing: it names none.
std::optional<std::string> stack_in(std::string_view text) {
  constexpr std::size_t kCalls = 3;
  const auto begin = text.rfind(kThisThread);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string out;
  const std::vector<std::string_view> lines = lines_of(text.substr(begin));
  for (std::size_t i = 1; i < lines.size() && i <= kCalls; ++i) {
    const std::string call = call_in(lines[i]);
    // The script of the slot itself is no news.
    if (call.empty() || call.starts_with("kernsweep-slot.py:")) break;
    out += (out.empty() ? "it was at " : ", called from ") + call;
  }
  return out;
}

}  // namespace

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const auto newline = text.rfind('\n', end);
  return as_utf8(text.substr(newline + 1, end - newline));
}

std::string what_it_did(const std::string& last_words) {
  if (const auto stack = stack_in(last_words)) return as_utf8(*stack);
  std::string line = last_line(last_words);
  if (line.empty()) return "";
  if (line.starts_with(kProgramSaid)) return line.substr(std::string_view("kernsweep: ").size());
  if (line.size() > kShown) line = line.substr(0, kShown) + "...";
  return "its last line on stderr: " + line;
}

}  // namespace kernsweep
