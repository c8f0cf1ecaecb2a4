// Text that others wrote, made fit for messages and the database: both refuse what is not UTF-8, and one
// bad byte in a reason would cost the whole outcome.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernsweep {

// Length of the UTF-8 sequence at the start of `text`, 1 to 4; 0 when there is none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF, nothing cut short).
std::size_t utf8_length(std::string_view text);

// `bytes` with each byte that belongs to no UTF-8 sequence replaced by U+FFFD. UTF-8 stays as it is.
std::string as_utf8(std::string_view bytes);

// As UTF-8 with a blank for each character that a terminal would obey rather than show (C0 but line feed,
// DEL, C1), so that a peer's words cannot move the cursor, hide lines or set a title.
std::string for_terminal(std::string_view bytes);

// The same in one line of at most `bytes_max` bytes; what is cut off ends in an ellipsis.
std::string one_line(std::string_view bytes, std::size_t bytes_max);

}  // namespace kernsweep
