#include "language/expression/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "language/expression/code.hpp"
#include "shared/base/try.hpp"

namespace kernsweep::expression {
namespace {

struct Spelling {
  std::string_view source;
  Word word;
};

// Longer symbols come first, because the first match is taken.
constexpr Spelling kSymbols[] = {
    {"**", Word::double_star}, {"//", Word::double_slash}, {"==", Word::equal},
    {"!=", Word::not_equal},   {"<=", Word::less_equal},   {">=", Word::greater_equal},
    {"<", Word::less},         {">", Word::greater},       {"+", Word::plus},
    {"-", Word::minus},        {"*", Word::star},          {"/", Word::slash},
    {"%", Word::percent},      {"(", Word::left_paren},    {")", Word::right_paren},
    {"[", Word::left_bracket}, {"]", Word::right_bracket}, {",", Word::comma},
};

constexpr Spelling kKeywords[] = {
    {"and", Word::key_and},   {"or", Word::key_or},       {"not", Word::key_not},
    {"in", Word::key_in},     {"if", Word::key_if},       {"else", Word::key_else},
    {"true", Word::key_true}, {"false", Word::key_false}, {"null", Word::key_null},
    {"True", Word::key_true}, {"False", Word::key_false}, {"None", Word::key_null},
};

// Operators of other languages, with what to write instead.
struct Foreign {
  std::string_view source;
  std::string_view advice;
};
constexpr Foreign kForeign[] = {
    {"&&", "write 'and'"},          {"||", "write 'or'"},     {"!", "write 'not'"},
    {"=", "write '==' to compare"}, {"<>", "write '!='"},     {"?", "write 'x if c else y'"},
    {"^", "write '**' for powers"}, {"<<", "write '* 2**n'"}, {">>", "write '// 2**n'"},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

// Bytes of the UTF-8 character at the start of `text` (not empty); 0 if the bytes are not UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool surrogate = byte(0) == 0xED && byte(1) > 0x9F;
  const bool beyond = byte(0) == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> read() {
    std::vector<Token> tokens;
    for (;;) {
      while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
        ++at_;
      Token token;
      token.column = static_cast<std::uint16_t>(column_of(at_));
      start_ = at_;
      if (at_ < text_.size()) {
        KS_RETURN_IF_ERROR(read_token(token));
      }
      token.source = text_.substr(start_, at_ - start_);
      tokens.push_back(std::move(token));
      if (tokens.back().word == Word::end) return tokens;
    }
  }

 private:
  // Positions must not decrease from call to call.
  std::size_t column_of(std::size_t position) {
    for (; counted_ < position; ++counted_) {
      if ((static_cast<unsigned char>(text_[counted_]) & 0xC0) != 0x80) ++column_;
    }
    return column_;
  }

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  tl::unexpected<Error> wrong(std::size_t position, std::string_view what) {
    return failure(fmt::format("column {}: {}", column_of(position), what));
  }

  Status read_token(Token& token) {
    const char c = peek();
    if (starts_name(c)) return read_name(token);
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number(token);
    if (c == '"' || c == '\'') return read_text(token);
    const std::string_view rest = text_.substr(at_);
    for (const auto& foreign : kForeign) {
      // "==" and "!=" begin like an operator of another language.
      if (rest.substr(0, 2) == "==" || rest.substr(0, 2) == "!=") break;
      if (rest.substr(0, foreign.source.size()) == foreign.source) {
        return wrong(at_, fmt::format("'{}' is not an operator here; {}", foreign.source, foreign.advice));
      }
    }
    for (const auto& symbol : kSymbols) {
      if (rest.substr(0, symbol.source.size()) != symbol.source) continue;
      token.word = symbol.word;
      at_ += symbol.source.size();
      return Done{};
    }
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t length = character_bytes(rest);
    if (length == 0)
      return wrong(at_, fmt::format("the byte {:#04x} is no UTF-8; save the file as UTF-8", byte));
    if (byte < 0x20 || byte == 0x7F) return wrong(at_, fmt::format("unexpected character {:#04x}", byte));
    return wrong(at_, fmt::format("unexpected character '{}'; letters outside of texts are a-z, A-Z and _",
                                  rest.substr(0, length)));
  }

  Status read_name(Token& token) {
    for (;;) {
      while (continues_name(peek())) ++at_;
      if (peek() != '.') break;
      if (!starts_name(peek(1))) return wrong(at_ + 1, "a name needs a letter after '.'");
      ++at_;
    }
    token.word = Word::name;
    const std::string_view source = text_.substr(start_, at_ - start_);
    for (const auto& keyword : kKeywords) {
      if (keyword.source == source.substr(0, source.find('.'))) {
        if (keyword.source != source) {
          return wrong(start_, fmt::format("'{}' cannot begin a name; it is a word of the language",
                                           keyword.source));
        }
        token.word = keyword.word;
      }
    }
    return Done{};
  }

  // Digits with single underscores between them, as in Python.
  void read_digits(std::string& digits) {
    while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)) && is_digit(text_[at_ - 1]))) {
      if (peek() != '_') digits += peek();
      ++at_;
    }
  }

  Status read_number(Token& token) {
    std::string digits;
    if (is_digit(peek())) read_digits(digits);
    token.word = Word::integer;
    if (peek() == '.') {
      token.word = Word::real;
      digits += '.';
      ++at_;
      if (is_digit(peek())) read_digits(digits);
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      token.word = Word::real;
      digits += 'e';
      if (peek(1) == '-') digits += '-';
      at_ += 1 + sign;
      read_digits(digits);
    }
    if (continues_name(peek()) || peek() == '.') {
      return wrong(
          at_, fmt::format("a number cannot continue with '{}'; write it like 12, 0.5 or 1e-3", peek()));
    }
    return token.word == Word::integer ? convert_integer(digits, token) : convert_real(digits, token);
  }

  Status convert_integer(std::string_view digits, Token& token) {
    if (digits[0] == '0' && digits.find_first_not_of('0') != std::string_view::npos) {
      return wrong(start_,
                   fmt::format("an integer has no leading zeros; write {}, or \"{}\" for a value that is "
                               "written so",
                               digits.substr(digits.find_first_not_of('0')), digits));
    }
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), token.magnitude);
    if (problem != std::errc() || token.magnitude > std::uint64_t{1} << 63) {
      return wrong(start_,
                   fmt::format("{} does not fit in 64 bits; write it as a float, with '.0'", digits));
    }
    return Done{};
  }

  Status convert_real(std::string_view digits, Token& token) {
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), token.real);
    if (problem != std::errc()) return wrong(start_, fmt::format("no float is near {}", digits));
    return Done{};
  }

  Status read_text(Token& token) {
    token.word = Word::text;
    const char quote = peek();
    ++at_;
    while (at_ < text_.size() && peek() != '\n') {
      const char c = peek();
      if (c == quote) {
        ++at_;
        return Done{};
      }
      if (c == '\\') {
        KS_RETURN_IF_ERROR(read_escape(token));
        continue;
      }
      const std::size_t length = character_bytes(text_.substr(at_));
      if (length == 0) return wrong(at_, "bytes that are no UTF-8; save the file as UTF-8");
      token.content += text_.substr(at_, length);
      at_ += length;
    }
    return wrong(start_, fmt::format("the text that begins here has no end; close it with {}", quote));
  }

  Status read_escape(Token& token) {
    constexpr std::string_view kWritten = "nt\\'\"";
    constexpr std::string_view kMeant = "\n\t\\'\"";
    const std::size_t which = peek(1) == '\0' ? std::string_view::npos : kWritten.find(peek(1));
    if (which == std::string_view::npos) {
      return wrong(at_, R"(unknown escape in a text; there are \n \t \\ \' \")");
    }
    token.content += kMeant[which];
    at_ += 2;
    return Done{};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the token
  std::size_t counted_ = 0;
  std::size_t column_ = 1;
};

}  // namespace

Result<std::vector<Token>> read_words(std::string_view text) {
  if (text.size() > kLengthMax) {
    return failure(
        fmt::format("column {}: the expression has {} bytes, at most {} are allowed; split it into several",
                    kLengthMax + 1, text.size(), kLengthMax));
  }
  return Lexer(text).read();
}

}  // namespace kernsweep::expression
