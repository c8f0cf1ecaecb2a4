// The command of a sweep: words with placeholders for values.
//
// The text is split as a POSIX shell splits words (Shell Command Language, 2.2 Quoting): blanks separate,
// '...' keeps everything, "..." keeps all but \ before $ ` " \ and a newline, \ keeps the next character.
// There is no shell: $, *, |, > and ; are plain characters. The text is split before values are filled in,
// so that a value with blanks stays one word. In every word, quoted or not, `{name}` is the value of a
// column, `{{` an opening brace and `}}` a closing one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/base/value.hpp"
#include "shared/text/command_line.hpp"

namespace kernsweep {

// How floats without a spelling of their own are filled in: with all digits, as programs read them, or in
// the shortest form.
enum class Floats : std::uint8_t { digits, shortest };

class CommandTemplate {
 public:
  // Errors, without a place: a quote that is not closed, no word at all, a single brace, a placeholder
  // without a name, a character that no command line can contain (NUL).
  static Result<CommandTemplate> of_text(std::string_view text);
  // Each element is one word, with placeholders.
  static Result<CommandTemplate> of_words(const std::vector<std::string>& words);

  // The columns that placeholders name, each once, in the order of the first placeholder.
  const std::vector<std::string>& names() const { return names_; }
  bool has_place(std::string_view name) const;
  // Whether the text contains this piece outside of placeholders: "{build}" of `{{build}}`.
  bool has_literal(std::string_view piece) const;

  // Instead of a column: the placeholder is kept for the measuring host.
  static constexpr std::uint32_t kStays = UINT32_MAX;

  // The command line of a point: `columns[i]` is the position in `values` of names()[i]. Words are quoted
  // where a shell needs it, so that a user can copy the line into one; it is split into the same words
  // again. A word that is only a placeholder is left out if its value is null, unless it is the program;
  // elsewhere null is empty text. A number has the spelling that it keeps (language/space/spelling.hpp),
  // else digits.
  std::string fill(std::span<const std::uint32_t> columns, const std::vector<Value>& values) const;
  // The first word alone, without quotes.
  std::string fill_first_word(std::span<const std::uint32_t> columns, const std::vector<Value>& values,
                              Floats floats = Floats::digits) const;

 private:
  struct Piece {
    std::string text;
    std::size_t name = SIZE_MAX;  // position in names(); SIZE_MAX: `text`
  };
  using Word = std::vector<Piece>;

  Status add_word(std::string_view word);
  void fill_word(const Word& pieces, std::span<const std::uint32_t> columns,
                 const std::vector<Value>& values, Floats floats, std::string& out) const;
  std::size_t number_of(std::string name);

  std::vector<Word> words_;
  std::vector<std::string> names_;
};

// The words of a text, split as above; braces are kept. Error: a quote that is not closed.
Result<std::vector<std::string>> split_command(std::string_view text);

}  // namespace kernsweep
