#include "language/file/command_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Splits a text into words.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  // The next word; nothing if there is none.
  Result<std::optional<std::string>> next() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_.substr(at_, 2) == "\\\n"))
      at_ += is_blank(text_[at_]) ? 1 : 2;  // after a \ the line continues
    if (at_ == text_.size()) return std::nullopt;
    word_.clear();
    while (at_ < text_.size() && !is_blank(text_[at_])) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        KS_RETURN_IF_ERROR(take_quoted(c));
      } else if (c == '\\') {
        if (at_ + 1 == text_.size()) return failure("a \\ at the end keeps nothing; write \\\\");
        take_escaped();
      } else {
        word_ += c;
        ++at_;
      }
    }
    return std::optional(word_);
  }

 private:
  void take_escaped() {
    const char kept = text_[at_ + 1];
    if (kept != '\n') word_ += kept;
    at_ += 2;
  }

  Status take_quoted(char quote) {
    const std::size_t opened = at_++;
    while (at_ < text_.size() && text_[at_] != quote) {
      constexpr std::string_view kEscapable = "$`\"\\\n";
      const bool escapes = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           kEscapable.find(text_[at_ + 1]) != std::string_view::npos;
      if (escapes) {
        take_escaped();
      } else {
        word_ += text_[at_++];
      }
    }
    if (at_ == text_.size()) return failure(fmt::format("column {}: {} is not closed", opened + 1, quote));
    ++at_;
    return Done{};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
};

}  // namespace

bool CommandTemplate::has_place(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

bool CommandTemplate::has_literal(std::string_view piece) const {
  return std::ranges::any_of(words_, [&](const Word& word) {
    return std::ranges::any_of(word, [&](const Piece& each) {
      return each.name == SIZE_MAX && each.text.find(piece) != std::string::npos;
    });
  });
}

std::size_t CommandTemplate::number_of(std::string name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  names_.push_back(std::move(name));
  return names_.size() - 1;
}

Status CommandTemplate::add_word(std::string_view word) {
  if (word.find('\0') != std::string_view::npos) return failure("no command line can hold a NUL character");
  Word pieces;
  const auto literal = [&]() -> std::string& {
    if (pieces.empty() || pieces.back().name != SIZE_MAX) pieces.emplace_back();
    return pieces.back().text;
  };
  for (std::size_t at = 0; at < word.size(); ++at) {
    const char c = word[at];
    if (c != '{' && c != '}') {
      literal() += c;
    } else if (at + 1 < word.size() && word[at + 1] == c) {
      literal() += c;
      ++at;
    } else if (c == '}') {
      return failure("a } that closes nothing; write }} for the character");
    } else {
      const auto end = word.find_first_of("{}", at + 1);
      if (end == std::string_view::npos || word[end] == '{')
        return failure("a { that is not closed; write {{ for the character");
      if (end == at + 1)
        return failure(
            "{} names nothing; write {{}} for the characters, or the name of an axis, as {threads}");
      pieces.push_back({"", number_of(std::string(word.substr(at + 1, end - at - 1)))});
      at = end;
    }
  }
  words_.push_back(std::move(pieces));
  return Done{};
}

Result<CommandTemplate> CommandTemplate::of_words(const std::vector<std::string>& words) {
  CommandTemplate out;
  for (const std::string& word : words) {
    KS_RETURN_IF_ERROR(out.add_word(word));
  }
  if (out.words_.empty() || out.words_.front().empty()) return failure("it names no program");
  return out;
}

Result<std::vector<std::string>> split_command(std::string_view text) {
  Splitter splitter(text);
  std::vector<std::string> words;
  while (true) {
    KS_ASSIGN_OR_RETURN(auto word, splitter.next());
    if (!word) return words;
    words.push_back(std::move(*word));
  }
}

Result<CommandTemplate> CommandTemplate::of_text(std::string_view text) {
  KS_ASSIGN_OR_RETURN(const auto words, split_command(text));
  return of_words(words);
}

void CommandTemplate::fill_word(const Word& pieces, std::span<const std::uint32_t> columns,
                                const std::vector<Value>& values, Floats floats, std::string& out) const {
  for (const Piece& piece : pieces) {
    if (piece.name == SIZE_MAX) {
      out += piece.text;
    } else if (columns[piece.name] == kStays) {
      out += '{' + names_[piece.name] + '}';
    } else if (const Value& value = values[columns[piece.name]]; !value.is_null()) {
      const auto* computed = value.word() == nullptr ? value.real() : nullptr;
      if (computed != nullptr && floats == Floats::digits) {
        out += digits_of(*computed);
      } else {
        value.append_text(out);
      }
    }
  }
}

std::string CommandTemplate::fill_first_word(std::span<const std::uint32_t> columns,
                                             const std::vector<Value>& values, Floats floats) const {
  KS_ASSERT(columns.size() == names_.size());
  std::string out;
  fill_word(words_.front(), columns, values, floats, out);
  return out;
}

std::string CommandTemplate::fill(std::span<const std::uint32_t> columns,
                                  const std::vector<Value>& values) const {
  KS_ASSERT(columns.size() == names_.size());
  std::string out, word;
  for (const Word& pieces : words_) {
    const bool is_program = &pieces == &words_.front();
    const bool stays = std::ranges::any_of(pieces, [&](const Piece& piece) {
      return piece.name != SIZE_MAX && columns[piece.name] == kStays;
    });
    const bool is_value = pieces.size() == 1 && pieces.front().name != SIZE_MAX && !stays;
    if (is_value && !is_program && values[columns[pieces.front().name]].is_null()) continue;
    word.clear();
    fill_word(pieces, columns, values, Floats::digits, word);
    if (!is_program) out += ' ';
    out += stays && word.find_first_of(" \t\n\r'\"\\") == std::string::npos ? word : quoted_word(word);
  }
  return out;
}

}  // namespace kernsweep
