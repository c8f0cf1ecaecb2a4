// Text in an XML document: a JUnit report, a picture.
#pragma once

#include <string>
#include <string_view>

namespace kernsweep {

// `utf8` as text or attribute: &, <, > and " as references. A line feed and a tab become a blank;
// characters that XML does not allow, not even as a reference (control characters, U+FFFE, U+FFFF), become
// "?".
std::string xml_text(std::string_view utf8);

}  // namespace kernsweep
