#include "results/text/xml_text.hpp"

namespace kernsweep {

std::string xml_text(std::string_view utf8) {
  std::string out;
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    const char c = utf8[at];
    const std::string_view three = utf8.substr(at, 3);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += c == '\n' || c == '\t' ? ' ' : '?';
    } else if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      out += '?';
      at += 2;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace kernsweep
