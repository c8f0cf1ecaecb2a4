// docs/reference/expressions.md lists the functions that exist, and no others.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "language/expression/functions.hpp"
#include "tests/golden_text/places.hpp"
#include "tests/unit/language_expression/answer.hpp"

namespace kernsweep {
namespace {

// The first words of table rows such as "| `ceil_div(a, b)` | ...".
std::vector<std::string> documented_functions() {
  std::vector<std::string> names;
  std::ifstream page(source_folder() + "/docs/reference/expressions.md");
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", 3);
    if (end == std::string::npos || end == 3 || line[end] != '(') continue;
    const std::string name = line.substr(3, end - 3);
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(ExpressionsPage, ListsExactlyTheFunctionsThatExist) {
  EXPECT_THAT(documented_functions(), ::testing::ElementsAreArray(expression_functions()));
}

// Rows such as "| `7 // -2` | `-4` |": each example of the page gives what the page says.
TEST(ExpressionsPage, ItsExamplesAreTrue) {
  std::ifstream page(source_folder() + "/docs/reference/expressions.md");
  int examples = 0;
  bool in_examples = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| expression |", 0) == 0) in_examples = true;
    if (line.empty()) in_examples = false;
    if (!in_examples || line.rfind("| `", 0) != 0) continue;
    const std::size_t end = line.find("` | ");
    ASSERT_NE(end, std::string::npos) << line;
    const std::string text = line.substr(3, end - 3);
    const std::size_t open = end + 4;
    if (line.compare(open, 5, "error") == 0) {
      EXPECT_EQ(testing::answer(text).rfind("column ", 0), 0U) << text;
    } else {
      const std::string expected = line.substr(open + 1, line.find('`', open + 1) - open - 1);
      EXPECT_EQ(testing::answer(text), testing::answer(expected)) << text;
    }
    ++examples;
  }
  EXPECT_GE(examples, 15);
}

}  // namespace
}  // namespace kernsweep
