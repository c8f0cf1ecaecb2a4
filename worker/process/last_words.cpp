#include "worker/process/last_words.hpp"

#include <algorithm>
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

// The owner of a file's code; the larger, the closer to the user.
enum class CodeOf { python, package, user };

CodeOf code_of(std::string_view path) {
  const auto has = [&](std::string_view part) { return path.find(part) != path.npos; };
  if (has("/site-packages/") || has("/dist-packages/")) return CodeOf::package;
  const bool is_python = path.starts_with('<') || has("/lib/python3") || has("/lib64/python3");
  return is_python ? CodeOf::python : CodeOf::user;
}

struct Call {
  std::string text;
  CodeOf code = CodeOf::user;
};

// `  File "/a/bench.py", line 12 in prepare` as "bench.py:12 in prepare"; empty if the line has another
// form.
Call call_in(std::string_view line) {
  constexpr std::string_view kFile = "  File \"", kLine = "\", line ";
  const auto path_end = line.find(kLine);
  if (!line.starts_with(kFile) || path_end == std::string_view::npos) return {};
  const std::string_view path = line.substr(kFile.size(), path_end - kFile.size());
  return {std::string(path.substr(path.rfind('/') + 1)) + ":" +
              std::string(line.substr(path_end + kLine.size())),
          code_of(path)};
}

// From the thread that faulthandler names as the current one: the innermost call, and the innermost calls
// of the user's own code, else of a package. Nothing: it names no thread.
std::optional<std::string> stack_in(std::string_view text) {
  constexpr std::size_t kOthers = 2;
  const auto begin = text.rfind(kThisThread);
  if (begin == std::string_view::npos) return std::nullopt;
  std::vector<Call> calls;
  const std::vector<std::string_view> lines = lines_of(text.substr(begin));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    Call call = call_in(lines[i]);
    // The script of the slot itself is omitted.
    if (call.text.empty() || call.text.starts_with("kernsweep-slot.py:")) break;
    calls.push_back(std::move(call));
  }
  if (calls.empty()) return "";
  std::string out = "it was at " + calls.front().text;
  CodeOf nearest = CodeOf::python;
  for (const Call& call : calls) nearest = std::max(nearest, call.code);
  for (std::size_t i = 1, shown = 0; i < calls.size() && shown < kOthers; ++i) {
    if (calls[i].code != nearest) continue;
    out += ", called from " + calls[i].text;
    ++shown;
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
  // The program may have printed more after it.
  if (const auto at = last_words.rfind(kProgramSaid);
      at != std::string::npos && (at == 0 || last_words[at - 1] == '\n')) {
    const auto from = at + std::string_view("kernsweep: ").size();
    return as_utf8(last_words.substr(from, last_words.find('\n', at) - from));
  }
  std::string line = last_line(last_words);
  if (line.empty()) return "";
  if (line.size() > kShown) line = line.substr(0, kShown) + "...";
  return "its last line on stderr: " + line;
}

}  // namespace kernsweep
