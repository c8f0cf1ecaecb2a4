#include "worker/slot/verify/reference_output.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <map>

#include "worker/slot/verify/printed_text.hpp"

namespace kernsweep {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

ReferenceOutput printed(std::string text) {
  ReferenceOutput out;
  out.text = std::move(text);
  return out;
}

ReferenceOutput array_of(std::vector<double> values, std::vector<std::int64_t> shape) {
  ReferenceOutput out;
  out.values = Elements(std::move(values));
  out.shape = std::move(shape);
  return out;
}

bool agree(const ReferenceOutput& output, const ReferenceOutput& reference,
           ks_tolerance tolerance = {0, 0}) {
  return judge(output, reference, tolerance).within;
}

TEST(ReferenceOutput, PrintedNumbersAreComparedAsNumbersWithinTheTolerance) {
  EXPECT_TRUE(agree(printed("42\n"), printed("4.2e1")));
  EXPECT_FALSE(agree(printed("41\n"), printed("42\n")));
  EXPECT_TRUE(agree(printed("41\n"), printed("42\n"), {0.024, 0}));  // 1 / 42 is 0.0238
  EXPECT_FALSE(agree(printed("41\n"), printed("42\n"), {0.023, 0}));
  EXPECT_FALSE(agree(printed("nan"), printed("42"), {1e9, 1e9}));
  EXPECT_FALSE(agree(printed("42 42"), printed("42")));
}

TEST(ReferenceOutput, WholeNumbersThatAreTheSameDoubleStillDiffer) {
  EXPECT_FALSE(agree(printed("9007199254740993"), printed("9007199254740992")));  // 2^53 + 1 and 2^53
  EXPECT_FALSE(agree(printed("9007199254740993.0"), printed("9007199254740992")));
  EXPECT_FALSE(agree(printed("9007199254740993"), printed("9.007199254740992e15")));
  EXPECT_TRUE(agree(printed("+09007199254740993"), printed("9007199254740993")));
  EXPECT_TRUE(agree(printed("9007199254740993.00"), printed("9007199254740993")));
  EXPECT_TRUE(agree(printed("9007199254740993"), printed("9007199254740992"), {1e-12, 0}));
  const auto whole = [](std::int64_t number) {
    ReferenceOutput out;
    out.parts = {{1, Dtype::s64}};
    out.values = Elements({number}, out.parts);
    return out;
  };
  EXPECT_FALSE(agree(whole(9007199254740993), whole(9007199254740992)));
  EXPECT_TRUE(agree(whole(9007199254740993), whole(9007199254740993)));
}

TEST(ReferenceOutput, TextIsComparedByLinesWithoutBlanksAtTheirEnds) {
  EXPECT_TRUE(agree(printed("a b  \nc\n\n"), printed("a b\nc\r")));
  EXPECT_FALSE(agree(printed("a  b\nc"), printed("a b\nc")));
  EXPECT_FALSE(agree(printed(" a"), printed("a")));
  EXPECT_NE(judge(printed("a\nb"), printed("a\nc"), {}).flaw.find("line 2"), std::string::npos);
}

// A blank at the end of a line counts there, and no byte is quoted: a terminal would obey it.
TEST(ReferenceOutput, OfBinaryOutputsTheFirstByteThatDiffersIsTold) {
  const std::string right("\x1f\x8b\x00 \n\x02", 6);
  EXPECT_TRUE(agree(printed(right), printed(right)));
  EXPECT_FALSE(agree(printed(std::string("\x1f\x8b\x00\n\x02", 5)), printed(right)));
  const auto flaw = [&](std::string_view output) {
    return judge(printed(std::string(output)), printed(right), {}).flaw;
  };
  EXPECT_EQ(flaw({"\x1f\x8b\x00 \n\x03", 6}),
            "the byte at offset 5 of the output is 0x03, of the reference 0x02; they have 6 and 6 bytes");
  EXPECT_EQ(flaw("text"),
            "the byte at offset 0 of the output is 0x74, of the reference 0x1f; they have 4 and 6 bytes");
  EXPECT_EQ(
      flaw({"\x1f\x8b\x00", 3}),
      "the byte at offset 3 of the output is missing, of the reference 0x20; they have 3 and 6 bytes");
}

TEST(ReferenceOutput, QuotedTextIsCutAtAWholeCharacter) {
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "\xC3\xA4";
  const std::string flaw = judge(printed("x" + umlauts), printed("y"), {}).flaw;
  EXPECT_LT(flaw.size(), 200U);
  EXPECT_FALSE(is_binary(flaw)) << flaw;
}

TEST(ReferenceOutput, NumbersAgainstTextAndAnotherShapeAreTold) {
  EXPECT_FALSE(judge(array_of({1, 2}, {2}), printed("one two"), {}).flaw.empty());
  EXPECT_TRUE(agree(array_of({1, 2}, {2}), printed("1 2")));
  const std::vector<double> six = {1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(judge(array_of(six, {2, 3}), array_of(six, {3, 2}), {}).flaw.empty());
  EXPECT_TRUE(agree(array_of(six, {1, 2, 3}), array_of(six, {2, 3})));  // an extent of 1 changes nothing
  EXPECT_TRUE(agree(array_of(six, {2, 3}), array_of(six, {6})));
}

TEST(ReferenceOutput, KeysOfBothAreTheSameOrNamed) {
  const auto keyed = [](std::string keys) {
    ReferenceOutput out = array_of({1, 2}, {2});
    out.keys = std::move(keys);
    return out;
  };
  EXPECT_TRUE(agree(keyed("a\nb\n"), keyed("a\nb\n")));
  EXPECT_TRUE(agree(keyed("a\nb\n"), keyed("")));
  EXPECT_TRUE(agree(keyed(""), keyed("a\nb\n")));
  const Judgement renamed = judge(keyed("a\nc\n"), keyed("a\nb\n"), {});
  EXPECT_FALSE(renamed.within);
  EXPECT_NE(renamed.flaw.find("'b'"), std::string::npos);
  EXPECT_NE(renamed.flaw.find("'c'"), std::string::npos);
  EXPECT_EQ(renamed.flaw.find("'a'"), std::string::npos);
  EXPECT_NE(judge(keyed("a\nb\nc\nd\ne\n"), keyed("a\n"), {}).flaw.find("'d' and 1 more"),
            std::string::npos);
}

TEST(ReferenceOutput, BytesAreNumbersAndBesideTextTheyAreText) {
  const char bytes[] = {'4', '2', '\n'};
  const ks_tensor tensor{bytes, KS_U8, 1, {3}, {1}};
  const auto read = reference_output_of(tensor, false);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->values, (Elements{52, 50, 10}));
  EXPECT_TRUE(agree(printed("42"), *read));
  EXPECT_FALSE(agree(printed("41"), *read));
  // Two arrays of bytes differ in each byte, also in one that would be a blank.
  const char other[] = {'4', '2', ' '};
  const ks_tensor changed{other, KS_U8, 1, {3}, {1}};
  EXPECT_FALSE(agree(*reference_output_of(changed, false), *read));
}

TEST(ReferenceOutput, IsTheSameAfterItsWay) {
  ReferenceOutput whole = array_of({}, {3, 1});
  whole.parts = {{2, Dtype::s64, true, 1}, {1, Dtype::f32, false, 2}};
  whole.values = Elements({1, -3, std::bit_cast<std::int64_t>(0.1)}, whole.parts);
  whole.keys = "a\nb[0].\"c\"\n";
  whole.sources = {{"word", "a b", "./a\tb", "00ff"}};
  const auto back = reference_output_from(bytes_of(whole));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, whole);
  const ReferenceOutput text = printed(std::string("a\0\xFF", 3));
  EXPECT_EQ(*reference_output_from(bytes_of(text)), text);
}

TEST(ReferenceOutput, BytesThatAreNoneAreAnError) {
  const std::string good = bytes_of(array_of({1, 2, kNotANumber}, {3}));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(reference_output_from(good.substr(0, length))) << length;
  std::string large = good;
  large[0] = '\x7F';
  large[7] = '\x7F';
  EXPECT_FALSE(reference_output_from(large));
}

ReferenceOutput of_parts(const std::vector<OutputPart>& parts, const std::vector<double>& values) {
  ReferenceOutput out = array_of({}, {static_cast<std::int64_t>(values.size())});
  out.parts = parts;
  std::vector<std::int64_t> bits;
  for (const OutputPart& part : parts)
    for (std::uint64_t i = 0; i < part.elements; ++i) {
      const double value = values[bits.size()];
      bits.push_back(part.is_whole() ? static_cast<std::int64_t>(value)
                                     : std::bit_cast<std::int64_t>(value));
    }
  out.values = Elements(std::move(bits), parts);
  return out;
}

ReferenceOutput of_type(Dtype dtype, const std::vector<double>& values) {
  return of_parts({{values.size(), dtype}}, values);
}

// Judges as for a function without verify.tolerance.
bool are_near(const ReferenceOutput& output, const ReferenceOutput& reference,
              std::map<std::string, double> said = {}) {
  Allowance allowance;
  allowance.may_round = true;
  allowance.said = std::move(said);
  return judge(output, reference, allowance).within;
}

TEST(ReferenceOutput, WholeNumbersOfATupleAreExactAndHideNoFloat) {
  const std::vector<OutputPart> parts = {{1, Dtype::s64, false, 1}, {2, Dtype::f64, false, 1}};
  const auto right = of_parts(parts, {200'000'001, 0.5, 7});
  EXPECT_TRUE(are_near(right, right));
  EXPECT_FALSE(are_near(of_parts(parts, {200'000'002, 0.5, 7}), right));
  EXPECT_TRUE(are_near(of_parts(parts, {200'000'001, 0.5 + 6e-8, 7}), right));  // 1e-8 of 7
  EXPECT_FALSE(are_near(of_parts(parts, {200'000'001, 0.5 + 8e-8, 7}), right));
  EXPECT_TRUE(are_near(of_parts(parts, {200'000'002, 0.5, 7}), right, {{"relative", 1e-8}}));
  EXPECT_FALSE(are_near(of_parts(parts, {200'000'002, 0.5, 7}), right, {{"f64", 1e-2}}));
  Allowance allowance;
  allowance.may_round = true;
  const Judgement judged = judge(of_parts(parts, {200'000'002, 0.5, 7}), right, allowance);
  EXPECT_EQ(judged.comparison.tolerance.relative, 0) << "of the wrong element";
  // A list as of max(0, x), in addition to floats.
  const auto floats = of_type(Dtype::f64, {1, 1e-9, 7});
  EXPECT_TRUE(are_near(of_parts({{1, Dtype::f64}, {1, Dtype::s64}, {1, Dtype::f64}}, {1, 0, 7}), floats));
  EXPECT_FALSE(are_near(of_parts({{2, Dtype::s64}, {1, Dtype::f64, false, 1}}, {1, 0, 7}), floats));
}

TEST(ReferenceOutput, EachPartHasTheToleranceOfTheCoarserType) {
  const auto pair = [](Dtype a, Dtype b, double x, double y) {
    return of_parts({{1, a, false, 1}, {1, b, false, 2}}, {x, y});
  };
  for (const auto& [dtype, tolerance] : {std::pair(Dtype::f64, 1e-8),
                                         {Dtype::f32, 1e-5},
                                         {Dtype::f16, 2e-3},
                                         {Dtype::bf16, 1.6e-2},
                                         {Dtype::f8e4m3, 0.125}}) {
    const auto right = pair(dtype, dtype, 1, 1), reference = pair(Dtype::f64, Dtype::f64, 1, 1);
    const auto in = pair(dtype, dtype, 1, 1 + 0.9 * tolerance),
               out = pair(dtype, dtype, 1, 1 + 1.1 * tolerance);
    EXPECT_TRUE(are_near(in, right) && are_near(in, reference) && are_near(reference, in))
        << name_of(dtype);
    EXPECT_FALSE(are_near(out, right) || are_near(out, reference)) << name_of(dtype);
  }
  EXPECT_TRUE(are_near(of_type(Dtype::f64, {1 + 5e-7}), of_type(Dtype::f32, {1})));
  EXPECT_FALSE(are_near(of_type(Dtype::f64, {1 + 5e-7}), of_type(Dtype::f64, {1})));
  EXPECT_FALSE(are_near(of_type(Dtype::f32, {1 + 1e-3}), of_type(Dtype::f32, {1}))) << "TF32";
  EXPECT_TRUE(are_near(of_type(Dtype::bf16, {1.05}), of_type(Dtype::f32, {1}), {{"f32", 0.08}}))
      << "at least the tolerance of a finer type";
}

TEST(ReferenceOutput, ALargePartHidesNoSmallOneUnlessTheSweepSaysHowFar) {
  const std::vector<OutputPart> parts = {{1, Dtype::f64, false, 1}, {1, Dtype::f64, false, 2}};
  const auto right = of_parts(parts, {1e9, 1});
  EXPECT_FALSE(are_near(of_parts(parts, {1e9, 1.1}), right));
  EXPECT_TRUE(are_near(of_parts(parts, {1e9, 1.1}), right, {{"f64", 1e-8}}));
  EXPECT_TRUE(are_near(of_parts(parts, {1, 2e-16}), of_parts(parts, {1, 3e-17}))) << "a residual";
}

TEST(ReferenceOutput, WholeNumbersFrom2To53OnAreComparedByTheirDigits) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  const auto large = [](std::int64_t number, bool is_unsigned) {
    ReferenceOutput out = of_parts({{1, Dtype::s64, is_unsigned, 1}, {1, Dtype::f64, false, 1}}, {0, 0.5});
    out.values = Elements({number, std::bit_cast<std::int64_t>(0.5)}, out.parts);
    return out;
  };
  EXPECT_TRUE(are_near(large(kExact + 1, false), large(kExact + 1, true)));
  EXPECT_FALSE(are_near(large(kExact + 1, false), large(kExact, false)));
  EXPECT_TRUE(are_near(large(-1, true), large(-1, true)));
  EXPECT_FALSE(are_near(large(-1, true), large(-2, true)));  // 2^64 - 1 and 2^64 - 2
  EXPECT_TRUE(are_near(large(kExact + 1, false), printed("9007199254740993 0.5")));
  EXPECT_FALSE(are_near(large(kExact + 1, false), printed("9007199254740992 0.5")));
}

}  // namespace
}  // namespace kernsweep
