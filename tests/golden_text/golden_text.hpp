// Texts that people read, kept beside the tests: a sentence can be made better without a change of tests.
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

// Whether `text` is what is kept for the next place of the running test; `why` says what differs.
bool is_golden(const std::string& text, std::string& why);

MATCHER(IsGolden, "is the text that is kept") {
  std::string why;
  const bool same = is_golden(std::string(arg), why);
  *result_listener << why;
  return same;
}

}  // namespace kernsweep
