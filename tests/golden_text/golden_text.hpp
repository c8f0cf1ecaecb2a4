// Texts that people read, stored next to the tests: a sentence can be improved without a change of tests.
//
//   EXPECT_THAT(refusal.message, IsGolden());
//
// holds when the text is the one that NAME_test.golden has for this place of this test: the first such line
// that the test reaches is 1, the next 2. With KERNSWEEP_WRITE_GOLDEN=1 in the environment each such line
// writes its text and holds; read the difference before you commit it. What differs between
// machines, builds and processes is written as <folder>, <source>, <build>, <pid>.
#pragma once

#include <gmock/gmock.h>

#include <string>

namespace kernsweep {

// The next place of the running test: "Suite.Name 2".
std::string next_golden_place();
// Whether `text` is what is kept for that place; `why` says what differs.
bool is_golden(const std::string& text, const std::string& place, std::string& why);

// A matcher may be asked twice about one text, so the places are counted where matchers are made.
MATCHER_P(IsGoldenAt, place, "is the text that is kept") {
  std::string why;
  const bool same = is_golden(std::string(arg), place, why);
  *result_listener << why;
  return same;
}

inline auto IsGolden() {
  return IsGoldenAt(next_golden_place());
}

// The text with numbers that have a fraction to six digits, and 0 for what is below 1e-12: processors
// differ in the last digits of a sum.
std::string rounded(const std::string& text);

}  // namespace kernsweep
