// Makes text from other programs valid UTF-8 for messages and the database. Both refuse other text, so one
// bad byte in a reason would lose the whole outcome.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernsweep {

// Length of the UTF-8 sequence at the start of `text`, 1 to 4; 0 when there is none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF, nothing cut short).
std::size_t utf8_length(std::string_view text);

// `bytes` with U+FFFD for each byte that belongs to no UTF-8 sequence. UTF-8 stays as it is.
std::string as_utf8(std::string_view bytes);

// As UTF-8, with a blank for each character that a terminal obeys instead of showing it (C0 but line feed,
// DEL, C1, what turns the direction of text): no text of a peer moves the cursor, hides or reorders words.
std::string for_terminal(std::string_view bytes);

// The same on one line of at most `bytes_max` bytes; a text that was cut ends in an ellipsis.
std::string one_line(std::string_view bytes, std::size_t bytes_max = std::string_view::npos);

}  // namespace kernsweep
