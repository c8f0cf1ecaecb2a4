// Text within an XML document: of JUnit's reports, of pictures.
#pragma once

#include <string>
#include <string_view>

namespace kernsweep {

// `utf8` as text or attribute: &, <, > and " as references. A line feed and a tab become a blank, what XML
// does not allow, not even as a reference (control characters, U+FFFE, U+FFFF), "?".
std::string xml_text(std::string_view utf8);

}  // namespace kernsweep
