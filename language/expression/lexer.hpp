// The words of an expression.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep::expression {

enum class Word : std::uint8_t {
  end,
  name,     // dotted names are one word
  integer,  // Token::magnitude
  real,     // Token::real
  text,     // Token::content
  plus,
  minus,
  star,
  slash,
  double_slash,
  percent,
  double_star,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  comma,
  key_and,
  key_or,
  key_not,
  key_in,
  key_if,
  key_else,
  key_true,
  key_false,
  key_null,
};

struct Token {
  Word word = Word::end;
  std::uint16_t column = 1;     // in characters, from 1
  std::string_view source;      // as written; a part of the text that was read
  std::uint64_t magnitude = 0;  // up to 2**63: one more than the largest integer, for the lowest integer
  double real = 0;
  std::string content;  // a text without its quotes and escapes
};

// All words of `text`, the last of them Word::end. Errors, with the column: bytes that are not UTF-8,
// characters and numbers that the language does not have, texts that do not end, `text` longer than
// kLengthMax bytes. The tokens point into `text`.
Result<std::vector<Token>> read_words(std::string_view text);

}  // namespace kernsweep::expression
