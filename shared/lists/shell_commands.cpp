#include "shared/lists/shell_commands.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace kernsweep {
namespace {

constexpr int kDepthMost = 8;
constexpr std::size_t kCommandsMost = 4096;

bool is_one_of(char c, std::string_view these) {
  return these.find(c) != std::string_view::npos;
}

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The length of NAME in "NAME=value" or "NAME+=value"; 0: it is no assignment.
std::size_t assigned_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_in_name(text[end])) ++end;
  const bool named = end > 0 && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
  const std::string_view rest = text.substr(end);
  return named && (rest.starts_with('=') || rest.starts_with("+=")) ? end : 0;
}

bool is_word_before_commands(std::string_view text) {
  constexpr std::array kWords = {"if",    "then",  "else", "elif", "fi", "do",   "done",
                                 "while", "until", "{",    "}",    "!",  "time", "-p"};  // time -p
  return std::ranges::find(kWords, text) != kWords.end();
}

class ShellReader {
 public:
  ShellReader(std::string_view text, int depth, ShellText& out) : text_(text), depth_(depth), out_(out) {
    out_.is_understood = out_.is_understood && depth_ <= kDepthMost;
  }

  void read() {
    while (out_.is_understood && at_ < text_.size()) {
      const char c = text_[at_];
      if (is_one_of(c, " \t\r") || (in_brackets_ && is_one_of(c, "<>"))) {
        ++at_;
      } else if (c == '\\' && peek(1) == '\n') {
        at_ += 2;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\n') {
        ++at_;
        end_command();
        skip_documents();
      } else if (is_redirection()) {
        read_redirection();
      } else if (is_one_of(c, ";&|()")) {
        read_operator();
      } else {
        take(read_word());
      }
    }
    end_command();
    out_.is_understood = out_.is_understood && in_case_ == 0 && !in_brackets_;
  }

 private:
  enum class Next : std::uint8_t {
    command,
    name_of_loop,
    in_of_loop,
    words_of_loop,
    subject,
    in_of_case,
    name
  };

  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }

  void end_command() {
    if (next_ == Next::words_of_loop) next_ = Next::command;
    if (!now_.words.empty() || !now_.assigned.empty() || !now_.reads.empty())
      out_.commands.push_back(std::move(now_));
    now_ = {};
    out_.is_understood = out_.is_understood && out_.commands.size() <= kCommandsMost;
  }

  void take(ShellTextWord word) {
    const bool is_plain = word.is_plain();
    if (in_patterns_) {
      if (word.text == "esac") end_case();
    } else if (in_brackets_) {
      in_brackets_ = word.text != "]]";
    } else if (next_ == Next::name_of_loop) {
      loop_ = word.text;
      next_ = Next::in_of_loop;
    } else if (next_ == Next::in_of_loop) {
      next_ = word.text == "in" ? Next::words_of_loop : Next::command;
    } else if (next_ == Next::words_of_loop) {
      now_.assigned.emplace_back(loop_, std::move(word));
    } else if (next_ == Next::subject) {
      next_ = Next::in_of_case;
    } else if (next_ == Next::in_of_case) {
      next_ = Next::command;
      in_patterns_ = true;
      ++in_case_;
    } else if (next_ == Next::name) {
      out_.functions.insert(word.text);
      next_ = Next::command;
    } else if (!now_.words.empty()) {
      now_.words.push_back(std::move(word));
    } else if (const std::size_t name = assigned_name(word.text); name > 0) {
      assign(word, name);
    } else if (!is_plain || !now_.assigned.empty() || !take_keyword(word.text)) {
      now_.words.push_back(std::move(word));
    }
  }

  bool take_keyword(const std::string& word) {
    if (is_word_before_commands(word)) return true;
    if (word == "for" || word == "select")
      next_ = Next::name_of_loop;
    else if (word == "case")
      next_ = Next::subject;
    else if (word == "function")
      next_ = Next::name;
    else if (word == "[[")
      in_brackets_ = true;
    else if (word == "esac" && in_case_ > 0)
      end_case();
    else
      return false;
    return true;
  }

  void assign(const ShellTextWord& word, std::size_t name) {
    ShellTextWord value{word.text.substr(word.text.find('=') + 1), word.has_glob};
    if (value.text.empty() && peek(0) == '(') {  // an array
      at_ += inner_of(')', 1).size() + 2;
      value.text = expansion("?");
    }
    now_.assigned.emplace_back(word.text.substr(0, name), std::move(value));
  }

  void end_case() {
    in_patterns_ = false;
    --in_case_;
  }

  void read_operator() {
    const char c = text_[at_];
    if (c == '(') return open_bracket();
    ++at_;
    if (c == ')' && in_patterns_) {
      in_patterns_ = false;
      now_ = {};
      return;
    }
    if (in_patterns_) return;
    if (in_brackets_) return;
    end_command();
    if (c == ';' && peek(0) == ';') {
      while (is_one_of(peek(0), ";&")) ++at_;
      in_patterns_ = in_case_ > 0;
    } else if (c == '|') {
      now_.has_input = peek(0) != '|';
      if (is_one_of(peek(0), "|&")) ++at_;
    } else if (c == '&' && peek(0) == '&') {
      ++at_;
    }
  }

  void open_bracket() {
    const auto after = text_.find_first_not_of(" \t", at_ + 1);
    if (now_.words.size() == 1 && after != std::string_view::npos && text_[after] == ')') {
      out_.functions.insert(now_.words[0].text);
      now_ = {};
      at_ = after + 1;
    } else if (peek(1) == '(' && now_.words.empty() && !in_patterns_) {
      at_ += inner_of(')', 1).size() + 2;  // arithmetic
    } else {
      ++at_;
      if (!in_patterns_ && !in_brackets_) end_command();
    }
  }

  bool is_redirection() const {
    std::size_t ahead = 0;
    while (std::isdigit(static_cast<unsigned char>(peek(ahead))) != 0) ++ahead;
    if (in_brackets_) return false;
    return is_one_of(peek(ahead), "<>") || (peek(0) == '&' && peek(1) == '>');
  }

  void read_redirection() {
    while (!is_one_of(peek(0), "<>")) ++at_;
    if (peek(1) == '(') {  // <(command)
      ++at_;
      read_inner(inner_of(')', 1));
      at_ += inner_of(')', 1).size() + 2;
      return;
    }
    const std::size_t from = at_;
    while (is_one_of(peek(0), "<>&|-") && peek(0) != '\0') ++at_;
    const std::string_view kind = text_.substr(from, at_ - from);
    while (is_one_of(peek(0), " \t") && peek(0) != '\0') ++at_;
    const bool is_literal = is_one_of(peek(0), "'\"\\") && peek(0) != '\0';
    const ShellTextWord word = read_word();
    now_.has_input = now_.has_input || kind.starts_with('<');
    if (kind.starts_with("<<") && !kind.starts_with("<<<"))
      documents_.push_back({word.text, is_literal});
    else if (kind == "<")
      now_.reads.push_back(word);
    else if (kind.starts_with('>') && word.is_plain())
      out_.written.insert(word.text);
  }

  void skip_documents() {
    for (const auto& [end, is_literal] : std::exchange(documents_, {})) {
      bool is_over = false;
      while (!is_over && at_ < text_.size()) {
        std::string_view line = rest().substr(0, rest().find('\n'));
        at_ += line.size() + 1;
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        is_over = line == end;
        const bool runs =
            line.find("$(") != std::string_view::npos || line.find('`') != std::string_view::npos;
        if (!is_over && runs && !is_literal) out_.is_understood = false;
      }
    }
  }

  // What is between the bracket at `at_` + `skip` - 1 and its end; to the end of the text without one.
  std::string_view inner_of(char close, std::size_t skip) {
    const char open = close == ')' ? '(' : '{';
    char quote = '\0';
    int depth = 1;
    for (std::size_t i = at_ + skip; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\\' && quote != '\'') {
        ++i;
      } else if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (is_one_of(c, "'\"")) {
        quote = c;
      } else if (c == open) {
        ++depth;
      } else if (c == close && --depth == 0) {
        return text_.substr(at_ + skip, i - at_ - skip);
      }
    }
    out_.is_understood = false;
    return text_.substr(std::min(at_ + skip, text_.size()));
  }

  void read_inner(std::string_view text) { ShellReader(text, depth_ + 1, out_).read(); }

  static std::string expansion(std::string_view what) {
    return ShellTextWord::kExpands + std::string(what) + ShellTextWord::kExpanded;
  }

  // From the $ on.
  void read_dollar(ShellTextWord& word) {
    ++at_;
    const char c = peek(0);
    if (c == '(' && peek(1) == '(') {
      at_ += inner_of(')', 1).size() + 2;
      word.text += expansion("?");
    } else if (c == '(' || c == '{') {
      const std::string inner(inner_of(c == '(' ? ')' : '}', 1));
      at_ += inner.size() + 2;
      if (c == '(') read_inner(inner);
      word.text += expansion(c == '(' ? "(" + inner + ")" : inner);
    } else if (is_in_name(c) || (c != '\0' && is_one_of(c, "@*#?$!-"))) {
      const std::size_t from = at_++;
      const bool is_name = std::isdigit(static_cast<unsigned char>(c)) == 0 && is_in_name(c);
      while (is_name && is_in_name(peek(0)) && peek(0) != '\0') ++at_;
      word.text += expansion(text_.substr(from, at_ - from));
    } else if (c != '\'' && c != '"') {
      word.text += '$';
    }
  }

  void read_backtick(ShellTextWord& word) {
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) out_.is_understood = false;
    const std::string inner(text_.substr(at_ + 1, std::min(end, text_.size()) - at_ - 1));
    at_ = std::min(end, text_.size() - 1) + 1;
    read_inner(inner);
    word.text += expansion("(" + inner + ")");
  }

  void read_quoted(ShellTextWord& word) {
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      if (text_[at_] == '\\' && is_one_of(peek(1), "\"\\$`")) {
        word.text += peek(1);
        at_ += 2;
      } else if (text_[at_] == '$') {
        read_dollar(word);
      } else if (text_[at_] == '`') {
        read_backtick(word);
      } else {
        word.text += text_[at_++];
      }
    }
    out_.is_understood = out_.is_understood && at_ < text_.size();
    ++at_;
  }

  ShellTextWord read_word() {
    ShellTextWord word;
    while (at_ < text_.size() && !is_one_of(text_[at_], " \t\r\n;&|()<>")) {
      const char c = text_[at_];
      if (c == '\'') {
        const std::size_t end = text_.find('\'', at_ + 1);
        out_.is_understood = out_.is_understood && end != std::string_view::npos;
        word.text += text_.substr(at_ + 1, std::min(end, text_.size()) - at_ - 1);
        at_ = std::min(end, text_.size() - 1) + 1;
      } else if (c == '"') {
        read_quoted(word);
      } else if (c == '\\') {
        if (peek(1) != '\n' && peek(1) != '\0') word.text += peek(1);
        at_ += 2;
      } else if (c == '$') {
        read_dollar(word);
      } else if (c == '`') {
        read_backtick(word);
      } else {
        word.has_glob = word.has_glob || is_one_of(c, "*?[");
        word.text += c;
        ++at_;
      }
    }
    at_ = std::min(at_, text_.size());
    return word;
  }

  std::string_view text_;
  const int depth_;
  ShellText& out_;
  std::size_t at_ = 0;
  ShellCommand now_;
  Next next_ = Next::command;
  std::string loop_;  // its variable
  bool in_patterns_ = false, in_brackets_ = false;
  int in_case_ = 0;
  std::vector<std::pair<std::string, bool>> documents_;  // the ends of those that begin with the next line
};

}  // namespace

ShellText read_shell_text(std::string_view text) {
  ShellText out;
  ShellReader(text, 0, out).read();
  return out;
}

}  // namespace kernsweep
