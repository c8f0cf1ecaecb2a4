#include "shared/base/value.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "shared/base/claim.hpp"

namespace kernsweep {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

TEST(ValueOfScalar, ConvertsOnlyWhatIsPromised) {
  struct Case {
    const char* scalar;
    Value means;
  };
  const std::vector<Case> cases = {
      {"", Null{}},
      {"null", Null{}},
      {"~", Null{}},
      {"true", true},
      {"false", false},
      {"0", 0},
      {"-0", 0},
      {"+5", 5},
      {"007", 7},
      {"-9223372036854775808", kSmallest},
      {"9223372036854775807", kLargest},
      {"1e-4", 1e-4},
      {"1E6", 1e6},
      {"+1.5", 1.5},
      {".5", 0.5},
      {"1.", 1.0},
      {"-2.0", -2.0},
      // Near misses of the above stay text, whatever YAML 1.1 makes of them.
      {"on", "on"},
      {"no", "no"},
      {"True", "True"},
      {"NULL", "NULL"},
      {"0x10", "0x10"},
      {"0o17", "0o17"},
      {"12:30", "12:30"},
      {"1_000", "1_000"},
      {"1-2", "1-2"},
      {"+-5", "+-5"},
      {"--5", "--5"},
      {"-", "-"},
      {"+", "+"},
      {".", "."},
      {"1e", "1e"},
      {"5 ", "5 "},
      {" 5", " 5"},
      {"inf", "inf"},
      {"-inf", "-inf"},
      {"nan", "nan"},
      {"1e999", "1e999"},
      // One more than an integer holds: no silent float in its place.
      {"9223372036854775808", "9223372036854775808"},
      {"-9223372036854775809", "-9223372036854775809"},
  };
  for (const Case& each : cases) {
    const Value got = value_of_scalar(each.scalar);
    EXPECT_EQ(got.kind_name(), each.means.kind_name()) << "'" << each.scalar << "'";
    EXPECT_EQ(got, each.means) << "'" << each.scalar << "'";
  }
}

TEST(ValueOfScalar, KeepsTheSignOfANegativeFloatZero) {
  const Value zero = value_of_scalar("-0.0");
  ASSERT_NE(zero.real(), nullptr);
  EXPECT_TRUE(std::signbit(*zero.real()));
}

TEST(ValueText, ReadsBackAsTheSameValueOfTheSameKind) {
  const std::vector<Value> values = {Null{},
                                     true,
                                     false,
                                     0,
                                     -1,
                                     kSmallest,
                                     kLargest,
                                     0.0,
                                     0.1,
                                     2.0,
                                     -2.5,
                                     1e-4,
                                     1e5,
                                     1e22,
                                     1e300,
                                     5e-324,
                                     std::nextafter(1.0, 2.0),
                                     std::numeric_limits<double>::max(),
                                     "gemm",
                                     "f32 x"};
  for (const Value& value : values) {
    const std::string text = value.to_text();
    const Value back = value_of_scalar(text);
    EXPECT_EQ(back, value) << text;
    EXPECT_EQ(back.kind_name(), value.kind_name()) << text;
  }
}

TEST(ValueText, ShowsAFloatAsAFloat) {
  EXPECT_EQ(Value(2.0).to_text(), "2.0");
  EXPECT_EQ(Value(-0.0).to_text(), "-0.0");
  EXPECT_EQ(Value(0.5).to_text(), "0.5");
  EXPECT_EQ(Value(2).to_text(), "2");
  EXPECT_EQ(Value(std::numeric_limits<double>::infinity()).to_text(), "inf");
  EXPECT_EQ(Value(-std::numeric_limits<double>::infinity()).to_text(), "-inf");
  EXPECT_EQ(Value(std::nan("")).to_text(), "nan");
}

TEST(ValueCanonical, IsWhatItsHeaderSays) {
  const auto canonical = [](const Value& value) {
    std::string out;
    value.append_canonical(out);
    return out;
  };
  EXPECT_EQ(canonical(Null{}), "n");
  EXPECT_EQ(canonical(true), "b1");
  EXPECT_EQ(canonical(12), "i12");
  EXPECT_EQ(canonical(0.5), "f0.5");
  EXPECT_EQ(canonical("abc"), "s3:abc");
  EXPECT_EQ(canonical(""), "s0:");
}

// All sequences of one or two of these values; no two may have the same canonical text, or two jobs would
// share a key. The values are chosen to look alike: text that reads like another kind, numbers that are
// equal as numbers.
TEST(ValueCanonical, NeverMakesDifferentSequencesLookAlike) {
  const std::vector<Value> values = {Null{},
                                     true,
                                     false,
                                     0,
                                     1,
                                     12,
                                     0.0,
                                     -0.0,
                                     1.0,
                                     0.5,
                                     "",
                                     "1",
                                     "n",
                                     "b1",
                                     "i1",
                                     "s1:1",
                                     "null",
                                     "true",
                                     "0.5",
                                     "f0.5",
                                     std::string("a\0b", 3),
                                     "a",
                                     1e5,
                                     100000,
                                     std::numeric_limits<double>::infinity(),
                                     "inf"};
  std::set<std::string> seen;
  std::size_t made = 0;
  for (const Value& first : values) {
    std::string alone;
    first.append_canonical(alone);
    EXPECT_TRUE(seen.insert(alone).second) << alone;
    ++made;
    for (const Value& second : values) {
      std::string both = alone;
      second.append_canonical(both);
      EXPECT_TRUE(seen.insert(both).second) << both;
      ++made;
    }
  }
  EXPECT_EQ(seen.size(), made);
}

TEST(Value, IsEqualOnlyToTheSameKind) {
  EXPECT_NE(Value(2), Value(2.0));
  EXPECT_NE(Value(true), Value(1));
  EXPECT_NE(Value("1"), Value(1));
  EXPECT_NE(Value(Null{}), Value("null"));
  EXPECT_EQ(Value(), Value(Null{}));
}

TEST(Value, HasANumberOnlyWhenItIsOne) {
  EXPECT_EQ(Value(2).number(), 2.0);
  EXPECT_EQ(Value(2.5).number(), 2.5);
  EXPECT_FALSE(Value(true).number());
  EXPECT_FALSE(Value("2").number());
  EXPECT_FALSE(Value().number());
}

TEST(WrittenValues, MeanTheOneValueThatIsTheSameNumber) {
  const auto places = [](const char* text, const std::vector<Value>& known, bool quoted = false) {
    const auto found = meant({text, quoted}, known);
    return found ? *found : std::vector<std::size_t>{99};
  };
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(places("7", {"007", "8"}), Places{0});
  EXPECT_EQ(places("7", {"007", "7", "07"}), Places{1}) << "as it is written";
  EXPECT_EQ(places("7", {"007", "07"}), Places{99}) << "two are the same number";
  EXPECT_EQ(places("7", {"007", "8", "007"}), (Places{0, 2}));
  EXPECT_EQ(places("7", {"007", "8"}, true), Places{}) << "in quotes it is that text";
  EXPECT_EQ(places("1e5", {100000, "1e5"}), Places{1});
  EXPECT_EQ(places("1e5", {100000, "x"}), Places{0});
  EXPECT_EQ(places("9007199254740993", {"9007199254740992.0", "09007199254740993"}), (Places{1}));
  EXPECT_EQ(places("true", {true, false}), Places{0});
  EXPECT_EQ(places("1", {true, false}), Places{0});
  EXPECT_EQ(places("x", {"y"}), Places{});
}

TEST(WrittenValues, MeanWhatAnswersPrintSo) {
  const auto places = [](const char* text, const std::vector<Value>& known) {
    return meant({text, false}, known).value();
  };
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(places("-", {1, Null{}}), Places{1});
  EXPECT_EQ(places("-", {"-", Null{}}), Places{0});
  EXPECT_EQ(places("a b", {"c", "a\nb"}), Places{1});
  EXPECT_EQ(places("a b", {"a\nb", "a b"}), Places{1});
}

TEST(WrittenValues, MeanWhatTheDatabaseKeepsOfThem) {
  const auto plain = [](const char* text, const Value& value) { return means({text, false}, value); };
  EXPECT_TRUE(plain("1", 1));
  EXPECT_TRUE(plain("1", "1"));  // an axis of text, env.* above all
  EXPECT_TRUE(plain("1", 1.0));
  EXPECT_TRUE(plain("0.5", 0.5));
  EXPECT_TRUE(plain("1e-4", "1e-4"));
  EXPECT_FALSE(plain("1e-4", "0.0001"));
  EXPECT_TRUE(plain("true", 1));  // how a boolean is kept
  EXPECT_TRUE(plain("false", false));
  EXPECT_FALSE(plain("true", 2));
  EXPECT_TRUE(plain("null", Value()));
  EXPECT_TRUE(plain("~", Value()));
  EXPECT_FALSE(plain("null", "null"));
  EXPECT_TRUE(means({"null", true}, "null"));
  EXPECT_FALSE(means({"null", true}, Value()));
  EXPECT_FALSE(means({"1", true}, 1));
  EXPECT_FALSE(plain("9007199254740993", 9007199254740992));
}

}  // namespace
}  // namespace kernsweep
