// Makes text from other programs valid UTF-8 for messages and the database. Both reject other text, so one
// bad byte in a reason would lose the whole outcome.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernsweep {

// Length of the UTF-8 sequence at the start of `text`, 1 to 4; 0 when there is none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF, nothing cut short).
std::size_t utf8_length(std::string_view text);

// `bytes` with U+FFFD for each byte that belongs to no UTF-8 sequence. Valid UTF-8 is unchanged.
std::string as_utf8(std::string_view bytes);

// As UTF-8, with a blank for each character that a terminal obeys instead of showing it (C0 except line
// feed, DEL, C1, and characters that change the direction of text): text of a peer cannot move the cursor,
// hide or reorder words.
std::string for_terminal(std::string_view bytes);

// for_terminal() on one line of at most `bytes_max` bytes; a text that was cut ends in an ellipsis.
std::string one_line(std::string_view bytes, std::size_t bytes_max = std::string_view::npos);

}  // namespace kernsweep
