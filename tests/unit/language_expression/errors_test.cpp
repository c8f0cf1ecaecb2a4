// Every message says where and what, and what to do where that can be known.
#include <gtest/gtest.h>

#include "tests/unit/language_expression/answer.hpp"

namespace kernsweep {
namespace {

using testing::answer;

struct Case {
  std::string_view text;
  std::string_view message;
};

// Prints as the expression in a failure.
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.text;
}

class ReadingError : public ::testing::TestWithParam<Case> {};

TEST_P(ReadingError, NamesColumnAndCause) {
  const auto expression = Expression::parse(GetParam().text);
  ASSERT_FALSE(expression);
  EXPECT_EQ(expression.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, ReadingError,
    ::testing::Values(
        Case{"", "column 1: the expression is empty"}, Case{" \n\t ", "column 1: the expression is empty"},
        Case{"a + )", "column 5: expected a value, found ')'"},
        Case{"(", "column 2: expected a value, found the end"},
        Case{"1 +", "column 4: expected a value, found the end"},
        Case{"(1", "column 3: expected ')', found the end"},
        Case{"1)", "column 2: expected an operator or the end, found ')'"},
        Case{"a b", "column 3: expected an operator or the end, found 'b'"},
        Case{"'a' \"b\"", "column 5: expected an operator or the end, found \"b\""},
        Case{"* 2", "column 1: expected a value, found '*'"},
        Case{"a < < b", "column 5: expected a value, found '<'"},
        Case{"1 if 2",
             "column 7: expected 'else' and the value for when the condition is false, found the end"},
        Case{"1 if 2 else", "column 12: expected a value, found the end"},
        Case{"1 + not 2", "column 5: expected a value, found 'not'"},
        Case{"a not b", "column 3: expected an operator or the end, found 'not'"},
        Case{"[1, 2", "column 6: expected ',' or ']', found the end"},
        Case{"[,]", "column 2: expected a value, found ','; a list is written [a, b]"},
        Case{"x in (1, 2)", "column 8: expected ')', found ','; a list is written [a, b]"},
        Case{"min(1 2)", "column 7: expected ',' or ')', found '2'"},
        Case{"min(,)", "column 5: expected a value, found ','; a list is written [a, b]"},
        Case{"2 ** ", "column 6: expected a value, found the end"}));

INSTANTIATE_TEST_SUITE_P(
    OtherLanguages, ReadingError,
    ::testing::Values(
        Case{"a && b", "column 3: '&&' is not an operator here; write 'and'"},
        Case{"a || b", "column 3: '||' is not an operator here; write 'or'"},
        Case{"!a", "column 1: '!' is not an operator here; write 'not'"},
        Case{"a = 1", "column 3: '=' is not an operator here; write '==' to compare"},
        Case{"a <> 1", "column 3: '<>' is not an operator here; write '!='"},
        Case{"a ? 1 : 2", "column 3: '?' is not an operator here; write 'x if c else y'"},
        Case{"2 ^ 3", "column 3: '^' is not an operator here; write '**' for powers"},
        Case{"1 << 3", "column 3: '<<' is not an operator here; write '* 2**n'"},
        Case{"8 >> 3", "column 3: '>>' is not an operator here; write '// 2**n'"},
        Case{"a AND b", "column 3: expected an operator or the end, found 'AND'; write 'and'"},
        Case{"a is b", "column 3: expected an operator or the end, found 'is'; write '==' or '!='"},
        Case{"a; b", "column 2: unexpected character ';'; letters outside of texts are a-z, A-Z and _"},
        Case{"x[0]", "column 2: expected an operator or the end, found '['"}));

INSTANTIATE_TEST_SUITE_P(
    Words, ReadingError,
    ::testing::Values(
        Case{"1x", "column 2: a number cannot continue with 'x'; write it like 12, 0.5 or 1e-3"},
        Case{"0x10", "column 2: a number cannot continue with 'x'; write it like 12, 0.5 or 1e-3"},
        Case{"1__0", "column 2: a number cannot continue with '_'; write it like 12, 0.5 or 1e-3"},
        Case{"1.2.3", "column 4: a number cannot continue with '.'; write it like 12, 0.5 or 1e-3"},
        Case{"007",
             "column 1: an integer has no leading zeros; write 7, or \"007\" for a value that is written "
             "so"},
        Case{"1e999", "column 1: no float is near 1e999"},
        Case{"a.", "column 3: a name needs a letter after '.'"},
        Case{"a.1", "column 3: a name needs a letter after '.'"},
        Case{"null.x", "column 1: 'null' cannot begin a name; it is a word of the language"},
        Case{"'abc", "column 1: the text that begins here has no end; close it with '"},
        Case{"1 + \"abc'", "column 5: the text that begins here has no end; close it with \""},
        Case{"'a\nb'", "column 1: the text that begins here has no end; close it with '"},
        Case{R"('a\d')", R"(column 3: unknown escape in a text; there are \n \t \\ \' \")"},
        Case{R"('a\)", R"(column 3: unknown escape in a text; there are \n \t \\ \' \")"},
        Case{"\xff", "column 1: the byte 0xff is no UTF-8; save the file as UTF-8"},
        Case{"'\xc3\x28'", "column 2: bytes that are no UTF-8; save the file as UTF-8"},
        Case{"'\xed\xa0\x80'", "column 2: bytes that are no UTF-8; save the file as UTF-8"},
        Case{std::string_view("a\0b", 3), "column 2: unexpected character 0x00"},
        // Columns count characters: the é before is one.
        Case{"'é' + é",
             "column 7: unexpected character 'é'; letters outside of texts are a-z, A-Z and _"}));

INSTANTIATE_TEST_SUITE_P(
    Functions, ReadingError,
    ::testing::Values(
        Case{"1 + lenn(x)", "column 5: unknown function 'lenn'; did you mean 'len'?"},
        Case{"math.log2(8)", "column 1: unknown function 'math.log2'; did you mean 'log2'?"},
        Case{"foo(1)",
             "column 1: unknown function 'foo'; known: abs, ceil_div, is_pow2, len, log2, max, min, round"},
        Case{"min + 1", "column 1: min is a function and cannot be a name; call it: min(...)"},
        Case{"ceil_div(7)", "column 1: ceil_div takes 2 arguments, not 1"},
        Case{"ceil_div(7, 2, 1)", "column 1: ceil_div takes 2 arguments, not 3"},
        Case{"abs()", "column 1: abs takes 1 argument, not 0"},
        Case{"abs(1, 2)", "column 1: abs takes 1 argument, not 2"},
        Case{"round()", "column 1: round takes at least 1 argument, not 0"},
        Case{"round(1, 2, 3)", "column 1: round takes at most 2 arguments, not 3"},
        Case{"max()", "column 1: max takes at least 1 argument, not 0"},
        Case{"(a)(1)", "column 4: expected an operator or the end, found '('"}));

class RunningError : public ::testing::TestWithParam<Case> {};

TEST_P(RunningError, NamesColumnOperationAndKinds) {
  EXPECT_EQ(answer(GetParam().text, {{"n", 4}, {"z", 0}, {"t", "f32"}, {"x", 1.5}}), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RunningError,
    ::testing::Values(
        Case{"1 + t * 2", "column 7: '*' takes numbers, not text and integer"},
        // Python would join and repeat these; here text and lists have no arithmetic.
        Case{"t + t", "column 3: '+' takes numbers, not text and text"},
        Case{"[1] + [2]", "column 5: '+' takes numbers, not list and list"},
        Case{"t % n", "column 3: '%' takes numbers, not text and integer"},
        Case{"-t", "column 1: '-' takes a number, not text"},
        Case{"n + -t", "column 5: '-' takes a number, not text"},
        Case{"abs(missing)", "column 1: 'abs' takes a number, not null"},
        Case{"n <= missing", "column 3: '<=' cannot order integer and null"},
        Case{"1 < 2 < t", "column 7: '<' cannot order integer and text"},
        Case{"max(n, t)", "column 1: 'max' cannot order integer and text"},
        Case{"'a' in missing", "column 5: the right side of 'in' must be a text or a list, not null"},
        Case{"1 not in n", "column 3: the right side of 'not in' must be a text or a list, not integer"},
        Case{"32 in t", "column 4: 'in' finds only text in a text, not integer"},
        Case{"len(x)", "column 1: len takes a text or a list, not float"},
        Case{"min(x)", "column 1: min with one argument takes a list, not float"},
        Case{"min('abc')", "column 1: min with one argument takes a list, not text"},
        Case{"max([])", "column 1: max of an empty list"},
        Case{"round(1.5, t)", "column 1: round takes its number of digits as an integer, not text"},
        Case{"[n]", "column 1: the result is a list; compare it, or look into it with 'in'"},
        Case{"n and [1]", "column 1: the result is a list; compare it, or look into it with 'in'"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, RunningError,
    ::testing::Values(
        Case{"n / z", "column 3: '/' by zero; guard it, as in 'x != 0 and n % x == 0'"},
        Case{"n // z", "column 3: '//' by zero; guard it, as in 'x != 0 and n % x == 0'"},
        Case{"n % 0.0", "column 3: '%' by zero; guard it, as in 'x != 0 and n % x == 0'"},
        Case{"ceil_div(n, z)", "column 1: 'ceil_div' by zero; guard it, as in 'x != 0 and n % x == 0'"},
        Case{"z ** -1", "column 3: '**' of zero with a negative exponent"},
        Case{"(-x) ** 0.5",
             "column 6: '**' of a negative number with a fractional exponent is not a real number"},
        Case{"10.0 ** 400", "column 6: the result of '**' is beyond the largest float"},
        Case{"log2(z)", "column 1: log2 takes a number above zero"},
        Case{"log2(-x)", "column 1: log2 takes a number above zero"},
        Case{"round(1e308 * 10)", "column 1: round takes a finite number; this is inf or nan"},
        Case{"round(1e300)",
             "column 1: the result of 'round' does not fit in 64 bits; make an operand a float, as in 2.0"},
        Case{"n * 2**62",
             "column 3: the result of '*' does not fit in 64 bits; make an operand a float, as in 2.0"}));

TEST(Holds, FailsWhereEvaluateFails) {
  const auto division = Expression::parse("1 / 0");
  EXPECT_EQ(division->holds({}).error().message, division->evaluate({}).error().message);
  const auto list = Expression::parse("[1]");
  EXPECT_EQ(list->holds({}).error().message, list->evaluate({}).error().message);
}

}  // namespace
}  // namespace kernsweep
