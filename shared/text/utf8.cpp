#include "shared/text/utf8.hpp"

#include <algorithm>

namespace kernsweep {

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // surrogates
  if (first == 0xF0 && second < 0x90) return 0;  // overlong
  if (first == 0xF4 && second > 0x8F) return 0;  // above U+10FFFF
  return length;
}

std::string as_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

namespace {

// Whether a character of the Unicode class Bidi_Control begins `text`, which is UTF-8.
bool turns_direction(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) == 0xD8) return byte(1) == 0x9C;
  if (byte(0) != 0xE2) return false;
  if (byte(1) == 0x80) return byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xAA && byte(2) <= 0xAE);
  return byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
}

}  // namespace

std::string for_terminal(std::string_view bytes) {
  const std::string text = as_utf8(bytes);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
    if (byte == 0xC2 && next < 0xA0) {  // U+0080 to U+009F
      out += ' ';
      ++at;
    } else if (turns_direction(std::string_view(text).substr(at))) {
      out += ' ';
      at += byte == 0xD8 ? 1 : 2;
    } else {
      const bool obeyed = (byte < ' ' && byte != '\n') || byte == 0x7F;
      out += obeyed ? ' ' : text[at];
    }
  }
  return out;
}

std::string one_line(std::string_view bytes, std::size_t bytes_max) {
  constexpr std::string_view kEllipsis = "\u2026";
  std::string text = for_terminal(bytes);
  std::ranges::replace(text, '\n', ' ');
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max > kEllipsis.size() ? bytes_max - kEllipsis.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end).append(kEllipsis);
}

}  // namespace kernsweep
