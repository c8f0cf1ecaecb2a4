#include "shared/wire/single_job.hpp"
#include "tests/golden_text/golden_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace kernsweep {
namespace {

SingleJob read(const std::string& text) {
  auto job = single_job_of(text);
  EXPECT_TRUE(job) << text << "\n" << job.error().message;
  return job ? std::move(*job) : SingleJob();
}

std::string refusal_of(const std::string& text) {
  const auto job = single_job_of(text);
  EXPECT_FALSE(job) << text;
  return job ? "" : job.error().message;
}

// Every field differs from its default, so that one that is forgotten shows.
SingleJob unusual_job() {
  SingleJob job;
  job.pack = "/packs/it's.so";
  job.family = "gemm";
  job.seed = std::numeric_limits<std::uint64_t>::max();
  job.threads = 3;
  job.copies = 2;
  job.cache = Cache::cold;
  job.process = 2;
  job.values = {{"variant", "blas"}, {"m", 768},     {"ratio", 7.0}, {"least", INT64_MIN},
                {"exact", true},     {"off", false}, {"empty", ""},  {"words", "a \"b\"\n'c' $d \xC3\xBC"}};
  job.environment = {{"NOTE", "it's \"here\"\n"}, {"EMPTY", ""}};
  MeasureRules& measure = job.rules.measure;
  measure.warmup = {3, 7ms, 11s};
  measure.samples = {5, 77, 13us, Duration(17'000'000'001)};
  measure.stop = {0.125, false};
  measure.alone_on = Exclusion::cache;
  measure.verify = {false, "naive", {{"f32", 1e-3}, {"bf16", 0.5}}, 9, AskedRule::fail};
  measure.quick = true;
  measure.discard = {0.75, 0.25};
  measure.metric = Metric::latency;
  measure.interference = 0.5;
  job.rules.timeout.setup = 19s;
  job.rules.timeout.run = 2h;
  return job;
}

TEST(SingleJobText, ComesBackAsItWas) {
  const SingleJob job = unusual_job();
  const std::string text = text_of(job);
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line";
  const SingleJob back = read(text);
  EXPECT_EQ(back, job) << text << "\n" << text_of(back);
  EXPECT_EQ(text_of(back), text);
}

TEST(SingleJobText, OfDefaultsComesBackToo) {
  SingleJob job;
  job.family = "gemm";
  EXPECT_EQ(read(text_of(job)), job);
}

TEST(SingleJobText, WithEachKindOfReferenceComesBackToo) {
  SingleJob job;
  job.family = "gemm";
  for (const auto kind :
       {ReferenceKind::setting, ReferenceKind::command, ReferenceKind::python, ReferenceKind::file}) {
    ReferenceRule& rule = job.rules.measure.verify.reference;
    rule = {};
    rule.kind = kind;
    if (kind == ReferenceKind::setting) {
      rule.setting = {{"block", Value(8)}, {"way", Null{}}};
    } else {
      rule.text = "./right {1}";
    }
    job.rules.measure.verify.tolerance = {{"absolute", 0.5}, {"relative", 0}};
    EXPECT_EQ(read(text_of(job)), job) << text_of(job);
  }
}

TEST(SingleJobText, SaysEachSettingInTheWordsOfASweepFile) {
  SingleJob job;
  job.family = "gemm";
  job.values = {{"m", 7}, {"x", 7.0}, {"unset", Null{}}};
  EXPECT_EQ(
      text_of(job),
      R"({"family":"gemm","seed":1,"threads":1,"cache":"hot","values":{"m":7,"x":7.0},)"
      R"("measure":{"warmup":{"min_runs":1,"min_time":"100ms","max_time":"3s"},)"
      R"("samples":{"min":10,"max":2000,"min_time":"500ms","max_time":"15s"},)"
      R"("stop":{"noise":0.005,"or_stable":true},"alone_on":"host","metric":"throughput",)"
      R"("discard":{"clock":0.9,"share":0.2},"interference":0.05},)"
      R"("verify":{"repeat":2,"asked":"grade"},"timeout":{"setup":"60s","run":"120s","build":"300s"}})");
}

TEST(SingleJobRead, LeftOutIsTheDefault) {
  const SingleJob job = read(R"({"family":"noop"})");
  SingleJob expected;
  expected.family = "noop";
  EXPECT_EQ(job, expected);
  EXPECT_EQ(job.rules, Rules());
  // One setting leaves its neighbours alone.
  const SingleJob one = read(R"({"family":"noop","measure":{"samples":{"min":3}}})");
  expected.rules.measure.samples.min = 3;
  EXPECT_EQ(one, expected);
}

TEST(SingleJobRead, KeepsIntegersAndFloatsApart) {
  const SingleJob job = read(R"({"family":"f","values":{"a":7,"b":7.0,"c":"7","d":true,"e":null}})");
  ASSERT_EQ(job.values.size(), 4u) << "null is not set";
  EXPECT_EQ(job.values[0].second, Value(7));
  EXPECT_EQ(job.values[1].second, Value(7.0));
  EXPECT_EQ(job.values[2].second, Value("7"));
  EXPECT_EQ(job.values[3].second, Value(true));
}

TEST(SingleJobRead, TakesVerifyAsASweepFileDoes) {
  EXPECT_FALSE(read(R"({"family":"f","verify":false})").rules.measure.verify.enabled);
  EXPECT_TRUE(read(R"({"family":"f","verify":true})").rules.measure.verify.enabled);
  EXPECT_TRUE(read(R"({"family":"f","verify":{"repeat":3}})").rules.measure.verify.enabled);
}

TEST(SingleJobRead, TakesDurationsInAnyUnit) {
  const auto longest = [](const std::string& text) {
    return read(R"({"family":"f","measure":{"samples":{"min_time":"0","max_time":")" + text + "\"}}}")
        .rules.measure.samples.max_time;
  };
  EXPECT_EQ(longest("0"), 0s);
  EXPECT_EQ(longest("7ns"), 7ns);
  EXPECT_EQ(longest("500us"), 500us);
  EXPECT_EQ(longest("1.5s"), 1500ms);
  EXPECT_EQ(longest("2m"), 120s);
  EXPECT_EQ(longest("4h"), 4h);
  EXPECT_EQ(longest("9007199254740993ns"), Duration(9007199254740993)) << "no float on the way";
}

TEST(SingleJobRead, RefusesUnknownKeysAndSaysWhichWasMeant) {
  EXPECT_EQ(refusal_of(R"({"familly":"f"})"), "a job has no key 'familly'; did you mean 'family'?");
  EXPECT_EQ(refusal_of(R"({"family":"f","measure":{"sample":{}}})"),
            "measure has no key 'sample'; did you mean 'samples'?");
  EXPECT_EQ(refusal_of(R"({"family":"f","measure":{"samples":{"mim":3}}})"),
            "measure.samples has no key 'mim'; did you mean 'min'?");
  EXPECT_THAT(refusal_of(R"({"family":"f","timeout":{"sweep":"1h"}})"), IsGolden());
  EXPECT_THAT(refusal_of(R"({"family":"f","verify":{"":1}})"), IsGolden());
  EXPECT_THAT(refusal_of(R"({"family":"f","":1})"), IsGolden());
}

TEST(SingleJobRead, RefusesAnotherKindAndNamesTheKey) {
  for (const char* text : {R"("seed":-1)",
                           R"("seed":1.0)",
                           R"("threads":"2")",
                           R"("pack":7)",
                           R"("cache":true)",
                           R"("quick":1)",
                           R"("values":[])",
                           R"("values":{"m":[1]})",
                           R"("environment":{"A":1})",
                           R"("environment":"A=1")",
                           R"("measure":3)",
                           R"("measure":{"samples":7})",
                           R"("measure":{"samples":{"min":"3"}})",
                           R"("measure":{"samples":{"min_time":3}})",
                           R"("measure":{"stop":{"noise":"0.5%"}})",
                           R"("measure":{"stop":{"or_stable":null}})",
                           R"("measure":{"alone_on":1})",
                           R"("verify":7)",
                           R"("verify":{"reference":{}})",
                           R"("verify":{"tolerance":0.1})",
                           R"("verify":{"tolerance":{"f32":-1}})"})
    EXPECT_THAT(text + std::string(": ") + refusal_of(std::string("{\"family\":\"f\",") + text + "}"),
                IsGolden());
}

TEST(SingleJobRead, RefusesWhatIsOutOfRange) {
  for (const char* text : {R"("copies":0)",
                           R"("copies":-1)",
                           R"("copies":1025)",
                           R"("threads":0)",
                           R"("threads":1048576)",
                           R"("threads":18446744073709551615)",
                           R"("process":1000)",
                           R"("cache":"warm")",
                           R"("values":{"m":18446744073709551615})",
                           R"("environment":{"A=B":"1"})",
                           R"("environment":{"":"1"})",
                           R"("measure":{"samples":{"min":0}})",
                           R"("measure":{"samples":{"max":1000000001}})",
                           R"("measure":{"samples":{"min":20,"max":10}})",
                           R"("measure":{"samples":{"min_time":"20s"}})",
                           R"("measure":{"warmup":{"max_time":"1ms"}})",
                           R"("measure":{"stop":{"noise":1.5}})",
                           R"("measure":{"alone_on":"hots"})",
                           R"("measure":{"samples":{"max_time":"2 s"}})",
                           R"("measure":{"samples":{"max_time":"7"}})",
                           R"("measure":{"samples":{"max_time":"s"}})",
                           R"("measure":{"samples":{"max_time":"1.2.3s"}})",
                           R"("measure":{"samples":{"max_time":"-1s"}})",
                           R"("measure":{"samples":{"max_time":"9999999999h"}})",
                           R"("measure":{"samples":{"max_time":"99999999999999999999999h"}})",
                           R"("verify":{"repeat":1001})",
                           R"("verify":{"asked":"no"})"})
    EXPECT_THAT(text + std::string(": ") + refusal_of(std::string("{\"family\":\"f\",") + text + "}"),
                IsGolden());
}

TEST(SingleJobRead, SaysWhereThreadsAndVariablesBelong) {
  EXPECT_THAT(refusal_of(R"({"family":"f","values":{"threads":2}})"), IsGolden());
  EXPECT_THAT(refusal_of(R"({"family":"f","values":{"copies":2}})"), IsGolden());
  EXPECT_THAT(refusal_of(R"({"family":"f","values":{"env.A":"1"}})"), IsGolden());
}

TEST(SingleJobRead, NeedsAFamily) {
  EXPECT_THAT(refusal_of("{}"), IsGolden());
  EXPECT_THAT(refusal_of(R"({"family":""})"), IsGolden());
  EXPECT_THAT(refusal_of("[]"), IsGolden());
  EXPECT_THAT(refusal_of("7"), IsGolden());
  EXPECT_FALSE(refusal_of("").empty());
}

}  // namespace
}  // namespace kernsweep
