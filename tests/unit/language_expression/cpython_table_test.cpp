// The language against CPython's own answers: cpython_table.tsv, made by make_cpython_table.py.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "tests/golden_text/places.hpp"
#include "tests/unit/language_expression/answer.hpp"

namespace kernsweep {
namespace {

using testing::Names;

struct Table {
  Names names;
  std::vector<std::pair<std::string, std::string>> rows;  // expression, expected
};

Value value_of(const std::string& written) {
  if (written == "null") return Null{};
  if (written == "true" || written == "false") return written == "true";
  if (written[0] == 'i') return static_cast<std::int64_t>(std::strtoll(written.c_str() + 1, nullptr, 10));
  if (written[0] == 'f') return std::strtod(written.c_str() + 1, nullptr);
  EXPECT_EQ(written[0], 's') << written;
  return written.substr(1);
}

Table read_table() {
  Table table;
  std::ifstream file(source_folder() + "/tests/unit/language_expression/cpython_table.tsv");
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;  // the heading
    if (line.rfind("# ", 0) == 0) {
      table.names[line.substr(2, tab - 2)] = value_of(line.substr(tab + 1));
    } else {
      table.rows.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    }
  }
  return table;
}

// pow() and log2() may differ by a unit in the last place between C libraries, and what is computed from
// them by a few more. Everything else is exact to the bit, the sign of zero included.
bool is_same_float(double left, double right, bool loose) {
  if (std::memcmp(&left, &right, sizeof left) == 0) return true;
  return loose && std::fabs(left - right) <= 1e-14 * std::fabs(right);
}

bool agrees(const Result<Value>& answer, const std::string& expected, bool loose) {
  if (!answer || expected == "error") return !answer && expected == "error";
  const Value wanted = value_of(expected);
  if (answer->real() && wanted.real()) return is_same_float(*answer->real(), *wanted.real(), loose);
  return *answer == wanted;
}

TEST(CPythonTable, EveryAnswerIsCPythonsAnswer) {
  const Table table = read_table();
  ASSERT_GE(table.rows.size(), 2000U);
  ASSERT_GE(table.names.size(), 10U);
  for (const auto& [text, expected] : table.rows) {
    const auto expression = Expression::parse(text);
    if (!expression) {
      // Only an integer that 64 bits do not hold is refused before evaluation.
      EXPECT_EQ(expected, "error") << text << "\n" << expression.error().message;
      EXPECT_NE(expression.error().message.find("64 bits"), std::string::npos) << text;
      continue;
    }
    std::vector<Value> values;
    for (const auto& name : expression->names()) {
      ASSERT_TRUE(table.names.contains(name)) << name;
      values.push_back(table.names.at(name));
    }
    const bool loose = text.find("**") != std::string::npos || text.find("log2") != std::string::npos;
    const auto answer = expression->evaluate(values);
    EXPECT_TRUE(agrees(answer, expected, loose))
        << text << "\n  CPython: " << expected << "\n  here:    "
        << (answer ? answer->to_text() + " (" + std::string(answer->kind_name()) + ")"
                   : answer.error().message);
  }
}

// A table of errors, or without them, would prove little.
TEST(CPythonTable, HasManyAnswersOfEveryKindAndErrors) {
  std::map<char, int> kinds;
  for (const auto& [text, expected] : read_table().rows) ++kinds[expected == "error" ? '!' : expected[0]];
  EXPECT_GE(kinds['i'], 500);
  EXPECT_GE(kinds['f'], 500);
  EXPECT_GE(kinds['t'] + kinds['f'], 500);
  EXPECT_GE(kinds['s'], 10);
  EXPECT_GE(kinds['n'], 3);
  EXPECT_GE(kinds['!'], 300);
}

}  // namespace
}  // namespace kernsweep
