#include "shared/wire/convert.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "shared/wire/protocol.pb.h"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

// Through bytes, as a peer would get it.
template <class Message>
Message received(const Message& sent) {
  Message out;
  KS_ASSERT(out.ParseFromString(sent.SerializeAsString()));
  return out;
}

TEST(WireValue, ArrivesAsItWasSent) {
  const std::vector<Value> values = {Null{},
                                     true,
                                     false,
                                     0,
                                     -1,
                                     std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max(),
                                     0.0,
                                     0.1,
                                     -std::numeric_limits<double>::infinity(),
                                     5e-324,
                                     "",
                                     "text",
                                     std::string("a\0b", 3)};
  for (const Value& value : values) {
    wire::Value message;
    encode(value, message);
    const Value back = decode(received(message));
    EXPECT_EQ(back, value) << value.to_text();
    EXPECT_EQ(back.kind_name(), value.kind_name()) << value.to_text();
  }
}

TEST(WireValue, KeepsTheSignOfZero) {
  wire::Value message;
  encode(Value(-0.0), message);
  EXPECT_TRUE(std::signbit(*decode(received(message)).real()));
}

TEST(WireValue, OfAKindThatWeDoNotKnowIsNull) {
  wire::Value message;
  // Field 9, a varint: what a newer peer might send.
  ASSERT_TRUE(message.ParseFromString("\x48\x05"));
  EXPECT_TRUE(decode(message).is_null());
}

TEST(WireAttempt, ArrivesAsItWasSent) {
  const AttemptId attempt{{SweepId{7}, std::numeric_limits<std::uint64_t>::max(), 4'000'000'000u}, 3};
  wire::Attempt message;
  encode(attempt, message);
  EXPECT_EQ(decode(received(message)), attempt);
  EXPECT_EQ(decode(wire::Attempt()), AttemptId{}) << "nothing is zero, and zero is no attempt";
}

// Every field differs from its default, so that one that is forgotten shows.
Rules unusual() {
  Rules rules;
  rules.measure.warmup = {3, 7ms, 11s};
  rules.measure.samples = {5, 77, 13ms, 17s};
  rules.measure.stop = {0.125, false};
  rules.measure.alone_on = Exclusion::cache;
  rules.measure.verify = {false, "naive", {{"f32", 1e-3}, {"bf16", 0.5}}, 9, AskedRule::fail, true};
  rules.measure.quick = true;
  rules.measure.discard = {0.75, 0.25};
  rules.measure.metric = Metric::latency;
  rules.measure.interference = 0.5;
  rules.timeout.setup = 19s;
  rules.timeout.run = 23s;
  return rules;
}

TEST(WireRules, ArriveAsTheyWereSent) {
  const Rules rules = unusual();
  wire::Rules message;
  encode(rules, SweepId{4}, 2, message);
  EXPECT_EQ(message.sweep(), 4u);
  EXPECT_EQ(message.number(), 2u);
  const auto back = decode(received(message));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, rules);
}

TEST(WireRules, AReferenceThatIsNoVariantArrives) {
  for (const auto kind :
       {ReferenceKind::setting, ReferenceKind::command, ReferenceKind::python, ReferenceKind::file}) {
    Rules rules;
    ReferenceRule& rule = rules.measure.verify.reference;
    rule.kind = kind;
    if (kind == ReferenceKind::setting) rule.setting = {{"block", Value(8)}, {"way", Null{}}};
    if (kind != ReferenceKind::setting) rule.text = "naive";
    wire::Rules message;
    encode(rules, SweepId{1}, 1, message);
    const auto back = decode(received(message));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->measure.verify.reference, rule);
  }
  wire::Rules unknown;
  encode(Rules{}, SweepId{1}, 1, unknown);
  unknown.mutable_reference()->set_kind(99);
  EXPECT_FALSE(decode(unknown));
}

TEST(WireRules, DefaultsArriveToo) {
  wire::Rules message;
  encode(Rules{}, SweepId{1}, 1, message);
  const auto back = decode(received(message));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, Rules{});
}

TEST(WireRules, RetryAndCacheStayBehind) {
  Rules rules;
  rules.retry.max = 99;
  rules.measure.cache = Cache::cold;
  rules.timeout.sweep = 5s;
  wire::Rules message;
  encode(rules, SweepId{1}, 1, message);
  const auto back = decode(received(message));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->retry, RetryRules{});
  EXPECT_EQ(back->measure.cache, Cache::hot);
  EXPECT_EQ(back->timeout.sweep, Duration{});
}

// A worker adds them to the time of its clock: sums must stay within 64 bits of nanoseconds.
TEST(WireRules, TimesNoCoordinatorMeansAreCutToZeroAndTenYears) {
  wire::Rules message;
  encode(Rules{}, SweepId{1}, 1, message);
  auto& fields = *message.mutable_fields();
  fields["timeout.setup"].set_integer(std::numeric_limits<std::int64_t>::max());
  fields["timeout.run"].set_integer(std::numeric_limits<std::int64_t>::min());
  fields["measure.samples.max_time"].set_integer(std::numeric_limits<std::int64_t>::max());
  fields["measure.warmup.min_time"].set_integer(-1);
  const auto back = decode(message);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->timeout.setup, std::chrono::hours(24 * 3650));
  EXPECT_EQ(back->timeout.run, 0s);
  EXPECT_EQ(back->measure.samples.max_time, std::chrono::hours(24 * 3650));
  EXPECT_EQ(back->measure.warmup.min_time, 0s);
}

TEST(WireRules, AFieldThatIsMissingOrSaysSomethingElseIsRefusedWithItsPath) {
  const std::vector<std::pair<std::string, Value>> all = {
      {"measure.alone_on", "hosts"},   {"measure.alone_on", 1},    {"measure.metric", "mean"},
      {"verify.asked", true},          {"measure.samples.min", 0}, {"measure.samples.min", 2.5},
      {"measure.warmup.min_runs", -1}, {"verify.repeat", 1001},    {"measure.stop.noise", 1.5},
      {"verify.enabled", 1},           {"timeout.run", "3s"},      {"timeout.run", Null{}}};
  std::string refusals;
  for (const auto& [path, value] : all) {
    wire::Rules message;
    encode(Rules{}, SweepId{1}, 1, message);
    message.mutable_fields()->erase(path);
    if (!value.is_null()) encode(value, (*message.mutable_fields())[path]);
    const auto back = decode(message);
    refusals += back ? path + " was taken\n" : back.error().message + "\n";
  }
  EXPECT_THAT(refusals, IsGolden());
  EXPECT_FALSE(decode(wire::Rules())) << "rules without a field are no rules";
}

}  // namespace
}  // namespace kernsweep
