#include "shared/lists/shell_syntax.hpp"

#include <algorithm>
#include <cctype>

namespace kernsweep {
namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr int kDepthMax = 60;  // of commands inside others

bool is_among(char c, std::string_view these) {
  return these.find(c) != kNowhere;
}

class ShellParser {
 public:
  explicit ShellParser(std::string_view text) : text_(text) {}

  std::optional<ShellNode> parse() {
    ShellNode all = list();
    if (failed_ || at_ < text_.size()) return std::nullopt;
    return all;
  }

 private:
  using Kind = ShellNode::Kind;

  bool is_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool take(std::string_view what) {
    if (!is_at(what)) return false;
    at_ += what.size();
    return true;
  }
  void fail() {
    failed_ = true;
    at_ = text_.size();
  }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      if (is_at("\\\n")) {
        ++at_;
      } else if (text_[at_] == '#' && (at_ == 0 || is_among(text_[at_ - 1], " \t\r\n;&|()`"))) {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (!is_among(text_[at_], " \t\r")) {
        return;
      }
    }
  }
  // Also the documents that the line has announced.
  bool take_newline() {
    skip_blanks();
    if (!take("\n")) return false;
    if (documents_end_ > at_) at_ = documents_end_;
    return true;
  }
  void skip_newlines() {
    while (take_newline()) {
    }
  }

  std::size_t end_of_word(std::size_t from) {
    std::size_t at = from;
    while (at < text_.size()) {
      const char c = text_[at];
      const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
      const bool is_start_of_process = at == from && (c == '<' || c == '>') && next == '(';
      if (c == '\\') {
        at += 2;
      } else if (c == '\'' || c == '"' || c == '`') {
        at = end_of_quoted(text_, at);
      } else if ((c == '$' && (next == '(' || next == '{' || next == '\'')) || is_start_of_process) {
        at = end_of_quoted(text_, at + 1);
      } else if (c == '(' && at > from && is_among(text_[at - 1], "=@!+*?")) {
        at = end_of_quoted(text_, at);  // an array, a pattern
      } else if (is_among(c, " \t\r\n;&|<>()")) {
        break;
      } else {
        ++at;
      }
      if (at == kNowhere) {
        fail();
        return text_.size();
      }
    }
    return std::min(at, text_.size());
  }
  std::string peek_word() {
    skip_blanks();
    return std::string(text_.substr(at_, end_of_word(at_) - std::min(at_, text_.size())));
  }
  std::string take_word() {
    std::string word = peek_word();
    at_ += word.size();
    return word;
  }
  bool take_reserved(std::string_view word) {
    if (failed_ || peek_word() != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    skip_newlines();
    if (!take_reserved(word)) fail();
  }

  bool is_end_of_list() {
    skip_blanks();
    if (at_ >= text_.size() || is_at(")") || is_at(";;") || is_at(";&")) return true;
    const std::string word = peek_word();
    constexpr std::string_view kEnds[] = {"then", "do", "done", "fi", "elif", "else", "esac", "}"};
    return std::ranges::find(kEnds, word) != std::end(kEnds);
  }

  ShellNode list() {
    ShellNode out{.kind = Kind::list};
    if (++depth_ > kDepthMax) fail();
    while (!failed_) {
      skip_newlines();
      if (is_end_of_list()) break;
      const std::size_t before = at_;
      and_or(out);
      if (at_ == before) fail();
      skip_blanks();
      if (!is_at(";;") && !is_at(";&")) take(";");
    }
    --depth_;
    return out;
  }

  void and_or(ShellNode& to) {
    const std::size_t first = to.parts.size();
    to.parts.push_back(pipeline());
    for (skip_blanks(); !failed_; skip_blanks()) {
      const bool is_or = take("||");
      if (!is_or && !take("&&")) break;
      skip_newlines();
      to.parts.push_back(pipeline());
      to.parts.back().after = is_or ? ShellNode::After::failure : ShellNode::After::success;
    }
    if (is_at(";") || !take("&")) return;
    ShellNode all{.kind = Kind::list};
    std::move(to.parts.begin() + static_cast<std::ptrdiff_t>(first), to.parts.end(),
              std::back_inserter(all.parts));
    to.parts.resize(first);
    to.parts.push_back({.kind = Kind::subshell});
    to.parts.back().parts.push_back(std::move(all));
  }

  ShellNode pipeline() {
    ShellNode out{.kind = Kind::pipeline};
    while (take_reserved("!")) {
    }
    const std::size_t before = at_;
    if (take_reserved("time") && peek_word() != "{" && !is_at("(")) at_ = before;
    do {
      skip_newlines();
      out.parts.push_back(command());
      skip_blanks();
    } while (!failed_ && !is_at("||") && (take("|&") || take("|")));
    return out;
  }

  ShellNode command() {
    if (failed_) return {};
    skip_blanks();
    ShellNode out;
    const std::string word = peek_word();
    if (is_at("((")) {
      out = arithmetic();
    } else if (take("(")) {
      out.kind = Kind::subshell;
      out.parts.push_back(list());
      if (!take(")")) fail();
    } else if (take_reserved("{")) {
      out = list();
      expect("}");
    } else if (word == "if") {
      out = if_branches();
    } else if (word == "while" || word == "until" || word == "for" || word == "select") {
      out = loop(word);
    } else if (word == "case") {
      out = case_branches();
    } else if (word == "[[") {
      out = test();
    } else if (word == "function") {
      at_ += word.size();
      return function(take_word());
    } else {
      return simple();
    }
    while (redirect(out)) {
    }
    return out;
  }

  ShellNode arithmetic() {
    ShellNode out{.kind = Kind::test};
    const std::size_t end = end_of_quoted(text_, at_);
    if (end == kNowhere) {
      fail();
    } else {
      out.words.push_back("$" + std::string(text_.substr(at_, end - at_)));
      at_ = end;
    }
    return out;
  }

  ShellNode test() {
    ShellNode out{.kind = Kind::test};
    while (!failed_) {
      const std::string word = take_word();
      if (word == "]]") return out;
      if (!word.empty()) {
        out.words.push_back(word);
      } else if (at_ < text_.size()) {
        if (!take_newline()) ++at_;  // < > && || ( )
      } else {
        fail();
      }
    }
    return out;
  }

  ShellNode if_branches() {
    ShellNode out{.kind = Kind::branches};
    take_reserved("if");
    do {
      out.parts.push_back(list());
      expect("then");
      out.parts.push_back(list());
    } while (take_reserved("elif"));
    if (take_reserved("else")) out.parts.push_back(list());
    expect("fi");
    return out;
  }

  ShellNode loop(const std::string& word) {
    ShellNode out{.kind = Kind::loop};
    take_reserved(word);
    skip_blanks();
    if (word == "while" || word == "until") {
      out.parts.push_back(list());
    } else if (is_at("((")) {
      out.parts.push_back(arithmetic());
    } else {
      out.name = take_word();
      skip_newlines();
      if (take_reserved("in")) {
        for (std::string each = take_word(); !each.empty(); each = take_word()) out.words.push_back(each);
      } else {
        out.words.emplace_back("\"$@\"");
      }
    }
    skip_blanks();
    take(";");
    skip_newlines();
    const bool has_braces = peek_word() == "{";
    expect(has_braces ? "{" : "do");
    out.parts.push_back(list());
    expect(has_braces ? "}" : "done");
    return out;
  }

  ShellNode case_branches() {
    ShellNode out{.kind = Kind::branches};
    take_reserved("case");
    out.words.push_back(take_word());
    expect("in");
    for (skip_newlines(); !failed_ && !take_reserved("esac"); skip_newlines()) {
      skip_blanks();
      take("(");
      out.patterns.emplace_back();
      do {
        out.patterns.back().push_back(take_word());
        skip_blanks();
      } while (take("|"));
      if (!take(")")) fail();
      out.parts.push_back(list());
      if (!take(";;&") && !take(";;") && !take(";&") && peek_word() != "esac") fail();
    }
    return out;
  }

  ShellNode function(const std::string& name) {
    skip_blanks();
    if (take("(")) {
      skip_blanks();
      if (!take(")")) fail();
    }
    skip_newlines();
    if (++depth_ > kDepthMax) fail();
    ShellNode out{.kind = Kind::function, .name = name};
    out.body = std::make_shared<const ShellNode>(command());
    --depth_;
    return out;
  }

  ShellNode simple() {
    ShellNode out;
    while (!failed_) {
      skip_blanks();
      if (redirect(out)) continue;
      const std::string word = take_word();
      if (word.empty()) break;
      out.words.push_back(word);
      skip_blanks();
      if (out.words.size() == 1 && is_at("(")) return function(word);
    }
    return out;
  }

  bool redirect(ShellNode& to) {
    skip_blanks();
    std::size_t at = at_;
    while (at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])) != 0) ++at;
    const std::string_view rest = text_.substr(std::min(at, text_.size()));
    const bool is_both = rest.starts_with("&>") && at == at_;
    const bool is_process = rest.starts_with("<(") || rest.starts_with(">(");
    if (failed_ || is_process || (!is_both && !rest.starts_with("<") && !rest.starts_with(">")))
      return false;
    const std::string_view number = text_.substr(at_, at - at_);
    ShellRedirect out{.is_output = number.empty() || number == "1"};
    at_ = at;
    if (take("<<<")) {
    } else if (take("<<-") || take("<<")) {
      return document(to, text_[at_ - 1] == '-');
    } else if (take("<&")) {
    } else if (take("<>") || take("&>>") || take("&>") || take(">>") || take(">|") || take(">&")) {
      out.kind = ShellRedirect::Kind::writes;
    } else {
      out.kind = take("<") ? ShellRedirect::Kind::reads : ShellRedirect::Kind::writes;
      if (out.kind == ShellRedirect::Kind::writes) take(">");
    }
    out.word = take_word();
    if (out.word.empty()) fail();
    to.redirects.push_back(std::move(out));
    return true;
  }

  bool document(ShellNode& to, bool drops_tabs) {
    ShellRedirect out{.kind = ShellRedirect::Kind::document};
    std::string end = take_word();
    out.is_quoted = end.find_first_of("'\"\\") != std::string::npos;
    std::erase_if(end, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
    const std::size_t line_end = text_.find('\n', at_);
    std::size_t at = documents_end_ > at_   ? documents_end_
                     : line_end == kNowhere ? text_.size()
                                            : line_end + 1;
    while (at < text_.size()) {
      const std::size_t next = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at, next - at);
      at = std::min(next + 1, text_.size());
      while (drops_tabs && line.starts_with('\t')) line.remove_prefix(1);
      if (line == end) break;
      out.word += std::string(line) + "\n";
    }
    documents_end_ = at;
    to.redirects.push_back(std::move(out));
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0, documents_end_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<ShellNode> parse_shell(std::string_view text) {
  return ShellParser(text).parse();
}

}  // namespace kernsweep
