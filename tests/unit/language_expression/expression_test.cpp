// Tests beyond Python's answers (these are in cpython_table.tsv): names, words of our own, truth.
#include "language/expression/expression.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/language_expression/allocations.hpp"
#include "tests/unit/language_expression/answer.hpp"

namespace kernsweep {
namespace {

using testing::answer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_of(std::string_view text) {
  const auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << expression.error().message;
  return expression ? expression->names() : std::vector<std::string>();
}

TEST(Expression, NamesAreListedOnceInOrderOfFirstUse) {
  EXPECT_THAT(names_of("b + a * b - c"), ElementsAre("b", "a", "c"));
  // The condition runs first but is written second.
  EXPECT_THAT(names_of("x if c else y"), ElementsAre("x", "c", "y"));
  EXPECT_THAT(names_of("c and [a, min(b, a)] == [c]"), ElementsAre("c", "a", "b"));
}

TEST(Expression, WordsOfTheLanguageAndFunctionsAreNoNames) {
  EXPECT_THAT(names_of("true and false or null and True or False or None"), IsEmpty());
  EXPECT_THAT(names_of("len('abc') + min(1, 2) if not 1 in [2] else log2(2)"), IsEmpty());
}

TEST(Expression, ADottedNameIsOneName) {
  EXPECT_THAT(names_of("env.OMP_NUM_THREADS <= host.cores"),
              ElementsAre("env.OMP_NUM_THREADS", "host.cores"));
  EXPECT_THAT(names_of("a.b.c1 + a.b + a"), ElementsAre("a.b.c1", "a.b", "a"));
  // After the dot a word of the language is as good as any other.
  EXPECT_THAT(names_of("gpu.in == env.min"), ElementsAre("gpu.in", "env.min"));
}

TEST(Expression, NamesMayLookLikeWordsOfOtherLanguages) {
  EXPECT_THAT(names_of("lambda + AND_ + _ + notin + iff + e1"),
              ElementsAre("lambda", "AND_", "_", "notin", "iff", "e1"));
}

TEST(Expression, ValuesBelongToNamesByPosition) {
  EXPECT_EQ(answer("a - b", {{"a", 5}, {"b", 3}}), "i2");
  EXPECT_EQ(answer("b - a", {{"a", 5}, {"b", 3}}), "i-2");
  EXPECT_EQ(answer("x if c else y", {{"x", 1}, {"c", false}, {"y", 2}}), "i2");
}

TEST(Expression, LowerAndUpperCaseConstantsAreTheSame) {
  EXPECT_EQ(answer("[true, false, null] == [True, False, None]"), "b1");
  EXPECT_EQ(answer("null"), "n");
  EXPECT_EQ(answer("true"), "b1");
  EXPECT_EQ(answer("not_set == null"), "b1");
}

TEST(Expression, WhiteSpaceAndLineBreaksSeparateOnly) {
  EXPECT_EQ(answer("  1\n +\t2\r\n"), "i3");
  EXPECT_EQ(answer("1+2*3"), answer(" 1 + 2 * 3 "));
  EXPECT_EQ(answer("1 not\nin [2]"), "b1");
}

TEST(Expression, EscapesInTextsArePythons) {
  EXPECT_EQ(answer(R"("a\tb\nc\\d\'e\"f")"), "s11:a\tb\nc\\d'e\"f");
  EXPECT_EQ(answer(R"('a\tb\nc\\d\'e\"f')"), "s11:a\tb\nc\\d'e\"f");
  EXPECT_EQ(answer(R"('say "x"')"), R"(s7:say "x")");
}

TEST(Expression, AResultOutlivesExpressionAndValues) {
  Result<Value> kept = failure("none yet");
  {
    const auto expression = Expression::parse("a if a else 'a text of the expression that is long'");
    kept = expression->evaluate(std::vector<Value>{Value("a text of the values that is long, too")});
    EXPECT_EQ(*expression->evaluate(std::vector<Value>{Value("")}),
              Value("a text of the expression that is long"));
  }
  EXPECT_EQ(*kept, Value("a text of the values that is long, too"));
}

TEST(Expression, ACopyIsTheSameExpression) {
  const auto original = Expression::parse("n // 2 == 'x' or n");
  const Expression copy = *original;
  EXPECT_EQ(copy.text(), "n // 2 == 'x' or n");
  EXPECT_EQ(*copy.evaluate(std::vector<Value>{9}), Value(9));
}

TEST(Expression, HoldsIsPythonsTruth) {
  const auto expression = Expression::parse("x");
  const auto holds = [&](Value value) { return *expression->holds(std::vector<Value>{std::move(value)}); };
  for (const Value& value : {Value(), Value(false), Value(0), Value(0.0), Value(-0.0), Value("")}) {
    EXPECT_FALSE(holds(value)) << value.to_text();
  }
  for (const Value& value : {Value(true), Value(-1), Value(0.1), Value("0"), Value("false"), Value(" ")}) {
    EXPECT_TRUE(holds(value)) << value.to_text();
  }
}

// The axes of a sweep hold what Python calls a nan only when a table says so; it equals nothing, itself
// included.
TEST(Expression, NanIsUnequalAndUnordered) {
  const testing::Names names = {{"x", std::nan("")}};
  EXPECT_EQ(answer("x == x", names), "b0");
  EXPECT_EQ(answer("x != x", names), "b1");
  EXPECT_EQ(answer("x < 1 or x >= 1", names), "b0");
  EXPECT_EQ(answer("max(1, x)", names), "i1");
  EXPECT_EQ(answer("1 if x else 2", names), "i1");
  EXPECT_NE(answer("round(x)", names).find("finite"), std::string::npos);
}

TEST(Expression, ComputedListsOfOneExpressionDoNotDisturbEachOther) {
  const testing::Names names = {{"a", 1}, {"b", 2}};
  EXPECT_EQ(answer("[a, b] < [a, b + 1] and [b, [a, b]] == [b, [a, b]] and [a] != [b]", names), "b1");
  EXPECT_EQ(answer("min([max([a, b]), max([b, b + a])])", names), "i2");
  EXPECT_EQ(answer("a in ([b] if a == b else [a, b])", names), "b1");
}

TEST(Expression, EvaluationAllocatesNothingForNumbersAndComparedTexts) {
  const auto expression = Expression::parse(
      "(dtype == 'f32' or variant in ['blas', 'onednn'] and 'nednn' in variant) and 2 * m ** 2 // n % 7 <= "
      "max(m, n, ceil_div(m, n)) and m in [n, m / 1] and round(m / 3, 2) > 0");
  ASSERT_TRUE(expression) << expression.error().message;
  const std::vector<Value> values = {Value("a text too long to live inside of a string"), Value("onednn"),
                                     Value(64), Value(4096)};
  ASSERT_THAT(expression->names(), ElementsAre("dtype", "variant", "m", "n"));
  const long before = testing::allocations();
  const bool holds = *expression->holds(values);
  const long after = testing::allocations();
  EXPECT_EQ(after, before);
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace kernsweep
