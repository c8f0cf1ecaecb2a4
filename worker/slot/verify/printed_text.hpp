// What a program has printed: its words and lines, and the numbers in it. A number is a word of decimal
// digits, with a point and an exponent or without, or `inf` or `nan`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// The words of a text, between blanks and ends of lines.
std::vector<std::string_view> words_in(std::string_view text);
// Its lines, without blanks at their ends and without empty lines at the end of the text.
std::vector<std::string_view> trimmed_lines(std::string_view text);

// Whether it has bytes that are not text: control characters other than blanks and ends of lines, or not
// UTF-8.
bool is_binary(std::string_view text);

// A sign may precede it. A number that is too small for a double is 0, and one that is too large infinite.
std::optional<double> printed_number(std::string_view word);
// The numbers of a text; nothing if a word is not a number, or there is no word.
std::optional<std::vector<double>> numbers_of_text(std::string_view text);

// A whole number as its digits without zeros at either end, and their exponent: equal for equal numbers,
// such as 42, 042.0 and 4.2e1, and different for all others, however large. Empty: not a whole number.
std::string whole_number(std::string_view word);

}  // namespace kernsweep
