#include "shared/text/pattern.hpp"

#include <re2/re2.h>

namespace kernsweep {
namespace {

constexpr std::int64_t kMemoryMost = 8 << 20;
constexpr std::size_t kPatternMost = 4096;

// RE2 of Debian 12 knows only (?P<name>...).
std::string with_named_groups(const std::string& text) {
  std::string out;
  bool in_class = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    out += c;
    if (c == '\\' && at + 1 < text.size()) {
      out += text[++at];
    } else if (c == '[' || c == ']') {
      in_class = c == '[' || (in_class && text[at - 1] == '[');
    } else if (c == '(' && !in_class && text.compare(at, 3, "(?<") == 0 &&
               text.compare(at, 4, "(?<=") != 0 && text.compare(at, 4, "(?<!") != 0) {
      out += "?P<";
      at += 2;
    }
  }
  return out;
}

}  // namespace

Result<Pattern> Pattern::of(const std::string& text) {
  if (text.size() > kPatternMost)
    return failure("the pattern is longer than " + std::to_string(kPatternMost) + " characters");
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemoryMost);
  options.set_posix_syntax(false);
  // In this syntax only a flag in the pattern switches one-line mode off.
  auto compiled = std::make_shared<const re2::RE2>("(?m)" + with_named_groups(text), options);
  if (!compiled->ok()) {
    const std::string& why = compiled->error();
    return failure(why.substr(0, why.find(": (?m)")));
  }
  return Pattern(std::move(compiled));
}

std::vector<std::string> Pattern::groups() const {
  std::vector<std::string> out;
  for (const auto& [name, number] : compiled_->NamedCapturingGroups()) out.push_back(name);
  return out;
}

bool Pattern::has_group(std::string_view name) const {
  return compiled_->NamedCapturingGroups().contains(std::string(name));
}

std::vector<Pattern::Match> Pattern::matches(std::string_view text, std::size_t most) const {
  std::vector<Match> out;
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(compiled_->NumberOfCapturingGroups()) + 1);
  const re2::StringPiece whole(text.data(), text.size());
  std::size_t at = 0;
  while (out.size() < most && at <= text.size() &&
         compiled_->Match(whole, at, text.size(), re2::RE2::UNANCHORED, groups.data(),
                          static_cast<int>(groups.size()))) {
    Match& match = out.emplace_back();
    for (const auto& [name, number] : compiled_->NamedCapturingGroups())
      if (const re2::StringPiece& group = groups[static_cast<std::size_t>(number)]; group.data() != nullptr)
        match[name] = text.substr(static_cast<std::size_t>(group.data() - text.data()), group.size());
    const auto end = static_cast<std::size_t>(groups[0].data() - text.data()) + groups[0].size();
    at = groups[0].empty() ? end + 1 : end;
  }
  return out;
}

}  // namespace kernsweep
