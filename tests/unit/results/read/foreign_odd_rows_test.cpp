// Rows that are not as their form says, and files that were cut off: what is usable comes in, the rest is
// said with its reason.
#include <fmt/format.h>

#include <algorithm>

#include "results/read/foreign_results.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

struct OddForm {
  const char* name;
  std::string start, between, end;
  std::string (*row)(int number, const std::string& time);
};
const OddForm kOddForms[] = {
    {"google", R"({"context": {"num_cpus": 2, "caches": [{"type": "Data"}]}, "benchmarks": [)", ",\n", "]}",
     [](int number, const std::string& time) {
       return fmt::format(
           R"({{"name": "BM/{}", "run_type": "iteration", "iterations": 7, "real_time": {}}})", number,
           time);
     }},
    {"hyperfine", R"({"results": [)", ",\n", "]}",
     [](int number, const std::string& time) {
       return fmt::format(R"({{"command": "x {}", "times": [{}], "exit_codes": [0]}})", number, time);
     }},
    {"kernel tuner", R"({"tune_params_keys": ["n"], "tune_params": {"n": [1]}, "cache": {)", ",\n", "}}",
     [](int number, const std::string& time) {
       return fmt::format(R"("{0}": {{"n": {0}, "times": [{1}]}})", number, time);
     }},
    {"T4", R"({"results": [)", ",\n", R"(], "schema_version": "1.0.0"})",
     [](int number, const std::string& time) {
       return fmt::format(
           R"({{"configuration": {{"n": {}}}, "invalidity": "correct", "times": {{"runtimes": [{}]}}}})",
           number, time);
     }},
};

std::string file_of(const OddForm& form, const std::vector<std::string>& times) {
  std::string text = form.start;
  for (std::size_t i = 0; i < times.size(); ++i)
    text += (i == 0 ? "" : form.between) + form.row(static_cast<int>(i), times[i]);
  return text + form.end;
}

std::size_t with_a_time(const ForeignSweep& sweep) {
  return static_cast<std::size_t>(
      std::ranges::count_if(sweep.jobs, [](const ForeignJob& job) { return !job.seconds.empty(); }));
}

TEST(ForeignOddRow, IsAFailedRunWithItsReasonAndTheOthersComeIn) {
  for (const OddForm& form : kOddForms)
    for (const char* odd : {"0",      "-1.5",     "inf",   "-inf", "nan",   "NaN",  "-nan(ind)",
                            "1.#INF", "Infinity", "1e400", "null", "\"7\"", "true", "[]",
                            "NA",     "None",     "+5.0",  ".5",   "5.",    "0x10", "--"}) {
      const auto sweep = read_foreign_results(file_of(form, {"3", odd, "4"}));
      ASSERT_TRUE(sweep) << form.name << " " << odd << ": " << sweep.error().message;
      ASSERT_EQ(sweep->jobs.size(), 3U) << form.name << " " << odd;
      EXPECT_EQ(with_a_time(*sweep), 2U) << form.name << " " << odd;
      EXPECT_TRUE(sweep->jobs[1].seconds.empty());
      EXPECT_EQ(sweep->jobs[1].outcome, Outcome::failed_run);
      EXPECT_NE(sweep->lacks.find(sweep->jobs[1].failure), std::string::npos) << sweep->lacks;
      if (&form == kOddForms) {
        EXPECT_THAT(sweep->jobs[1].failure, IsGolden());
      }
    }
}

// No two names become the same one.
TEST(ForeignOddRow, WithANameThatIsNoJsonTextComesInAndIsCounted) {
  for (const OddForm& form : kOddForms) {
    if (&form == &kOddForms[2] || &form == &kOddForms[3]) continue;  // without names
    for (const auto& [names, second] : {std::pair(std::pair("\xe9", "\xe8"), "\xc3\xa8"),
                                        {{"\t", "\x01"}, "\x01"},
                                        {{"C:\\d", "C:\\users"}, "C:\\users"},
                                        {{"\\ud83d", "\\ud83e"}, "\\ud83e"}}) {
      std::string text = file_of(form, {"1", "2", "3"});
      const std::string prefix = form.name == std::string("google") ? "BM/" : "x ";
      for (const auto& [number, name] : {std::pair("0", names.first), {"1", names.second}})
        text.replace(text.find(prefix + number), prefix.size() + 1, name);
      const auto sweep = read_foreign_results(text);
      ASSERT_TRUE(sweep) << text << sweep.error().message;
      EXPECT_EQ(with_a_time(*sweep), 3U);
      ASSERT_EQ(sweep->points.size(), 3U) << text;
      EXPECT_EQ(sweep->points[1][0].to_text(), second);
      EXPECT_THAT(sweep->lacks.substr(sweep->lacks.rfind('\n') + 1), IsGolden());
    }
  }
}

TEST(ForeignOddRow, WithACommaTooManyOrAMissingValueLeavesTheOthers) {
  for (const OddForm& form : kOddForms) {
    std::string text = file_of(form, {"1", "2"});
    const auto last = text.rfind(form.name == std::string("kernel tuner") ? "}}" : "]");
    EXPECT_EQ(with_a_time(*read_foreign_results(text.insert(last, " ,\n"))), 2U) << text;
  }
  for (const char* odd : {"", " ", "80,5"}) {
    const auto sweep = read_foreign_results(file_of(kOddForms[0], {"1", odd, "3"}));
    ASSERT_TRUE(sweep) << sweep.error().message;
    EXPECT_EQ(with_a_time(*sweep), 2U);
    EXPECT_THAT(sweep->jobs[1].failure, IsGolden());
  }
}

TEST(ForeignOddRow, ThatBreaksTheFormIsNamed) {
  std::string text = file_of(kOddForms[0], {"1", "2", "3"});
  text.erase(text.find("\"real_time\"", text.find("BM/1")), 11);
  EXPECT_THAT(read_foreign_results(text).error().message, IsGolden());
}

TEST(ForeignOddRow, ThatSaysInOtherWordsThatItFailedHasFailed) {
  for (const char* said : {"1", "\"true\"", "true"}) {
    std::string text = file_of(kOddForms[0], {"1", "2"});
    text.insert(text.find("\"real_time\""), fmt::format("\"error_occurred\": {}, ", said));
    EXPECT_EQ(with_a_time(*read_foreign_results(text)), 1U) << said;
  }
  for (const char* said : {"0", "\"false\"", "false", "null"}) {
    std::string text = file_of(kOddForms[0], {"1", "2"});
    text.insert(text.find("\"real_time\""), fmt::format("\"error_occurred\": {}, ", said));
    EXPECT_EQ(with_a_time(*read_foreign_results(text)), 2U) << said;
  }
  std::string text = file_of(kOddForms[1], {"1", "2"});
  text.replace(text.find("[0]"), 3, "[\"0\"]");
  EXPECT_THAT(read_foreign_results(text)->jobs[0].failure, IsGolden());
}

TEST(ForeignOddRow, WithARateThatIsNoneKeepsItsTimeAndIsCounted) {
  for (const char* rate : {"0", "-5", "inf", "\"inf\"", "1e300"}) {
    std::string text = file_of(kOddForms[2], {"1", "2"});
    text.insert(text.find("\"times\""), fmt::format("\"GFLOP/s\": {}, ", rate));
    const auto sweep = read_foreign_results(text);
    ASSERT_TRUE(sweep) << sweep.error().message;
    EXPECT_EQ(with_a_time(*sweep), 2U);
    EXPECT_EQ(sweep->jobs[0].flops, 0);
    EXPECT_THAT(sweep->lacks.substr(sweep->lacks.rfind('\n') + 1), IsGolden());
  }
}

TEST(ForeignOddRow, WithoutATimeIsAFailedRunAndWithoutANameIsLeftOut) {
  const char* texts[] = {
      R"({"benchmarks": [{"name": "a", "real_time": 1}, {"name": "b"}, {"real_time": 1}, null,
                         {"name": "c", "real_time": 1, "time_unit": "h"}]})",
      R"({"results": [{"command": "a", "times": [1]}, {"command": "b"}, {"times": [1]}, null,
                      {"command": "c", "times": []}]})",
      R"({"tune_params_keys": ["n"], "cache": {"1": {"n": 1, "time": 1}, "2": {"n": 2}, "x": {"time": 1},
                                               "y": null, "3": {"n": 3, "times": 5}}})",
      R"({"results": [{"configuration": {"n": 1}, "invalidity": "correct", "times": {"runtimes": [1]}},
                      {"configuration": {"n": 2}, "invalidity": "correct"},
                      {"invalidity": "correct", "times": {"runtimes": [1]}}, null,
                      {"configuration": {"n": 3}, "invalidity": "gone"}]})"};
  for (const char* text : texts) {
    const auto sweep = read_foreign_results(text);
    ASSERT_TRUE(sweep) << sweep.error().message;
    EXPECT_EQ(sweep->jobs.size(), 3U) << text;
    EXPECT_EQ(sweep->points.size(), 3U) << text;
    EXPECT_EQ(with_a_time(*sweep), 1U) << text;
    EXPECT_EQ(sweep->left_out.size(), 2U) << text;
    EXPECT_THAT(sweep->lacks, IsGolden());
  }
}

TEST(ForeignOddRow, IsARefusalWhereNoRowIsUsable) {
  for (const OddForm& form : kOddForms) {
    const auto sweep = read_foreign_results(file_of(form, {"null", "-1"}));
    ASSERT_FALSE(sweep) << form.name;
    EXPECT_THAT(sweep.error().message, IsGolden());
  }
}

// Wherever a file is cut off: exactly its whole rows come in, or it is refused, never with another number.
TEST(ForeignOddRow, IsWhatACutLeavesOfAFile) {
  for (const OddForm& form : kOddForms) {
    const std::string text = file_of(form, {"31.5", "42.5", "53.5"});
    std::size_t rows_before = 0;
    for (std::size_t length = 1; length < text.size(); ++length) {
      std::size_t rows = 0, end = form.start.size();
      for (const char* time : {"31.5", "42.5", "53.5"}) {
        end += (rows == 0 ? 0 : form.between.size()) + form.row(static_cast<int>(rows), time).size();
        if (end > length) break;
        ++rows;
      }
      EXPECT_GE(rows, rows_before);
      rows_before = rows;
      const auto sweep = read_foreign_results(text.substr(0, length));
      ASSERT_EQ(sweep.has_value(), rows > 0) << form.name << ": " << text.substr(0, length);
      if (!sweep) continue;
      EXPECT_EQ(sweep->jobs.size(), rows) << text.substr(0, length);
      EXPECT_EQ(with_a_time(*sweep), rows) << text.substr(0, length);
      EXPECT_NE(sweep->lacks.find("the file has no end"), std::string::npos);
    }
    EXPECT_EQ(rows_before, 3U);
  }
}

TEST(ForeignOddRow, MayBeTheFirstOne) {
  for (const OddForm& form : kOddForms) {
    if (form.name == std::string("kernel tuner")) continue;  // rows are members there
    for (const char* odd : {"null", "{}", "7", R"({"invalidity": "correct"})"}) {
      std::string text = file_of(form, {"3", "4"});
      text.insert(form.start.size(), std::string(odd) + ", ");
      const auto version = text.find(", \"schema_version\"");
      if (version != text.npos) text = text.substr(0, version) + "}";
      const auto sweep = read_foreign_results(text);
      ASSERT_TRUE(sweep) << text << sweep.error().message;
      EXPECT_EQ(sweep->tool, read_foreign_results(file_of(form, {"3", "4"}))->tool);
      EXPECT_EQ(with_a_time(*sweep), 2U) << text;
      EXPECT_EQ(sweep->left_out.size(), 1U) << text;
    }
  }
}

TEST(ForeignOddRow, IsAllThatIsLostWhereSomethingFollowsTheCut) {
  for (const OddForm& form : kOddForms) {
    const std::string text = file_of(form, {"31.5", "42.5", "53.5"});
    for (const std::size_t length : {text.find("53.5"), text.find("53.5") - 5, text.find("53.5") + 2})
      for (const std::string& behind : {std::string(64, '\0'), std::string("\nKilled\n"),
                                        std::string("\nSegmentation fault (core dumped)\n")}) {
        const auto sweep = read_foreign_results(text.substr(0, length) + behind);
        ASSERT_TRUE(sweep) << form.name << sweep.error().message;
        EXPECT_EQ(with_a_time(*sweep), 2U);
        EXPECT_NE(sweep->lacks.find("the file has no end"), std::string::npos);
      }
  }
}

TEST(ForeignOddRow, IsNoneWhereAProgramPrintedMoreThanItsResults) {
  for (const OddForm& form : kOddForms) {
    const std::string text = file_of(form, {"31.5", "42.5"});
    for (const auto& [before, behind] : {std::pair("Running ./b\n[info] {2}\n", ""),
                                         {"", "\nran 2 benchmarks\n"},
                                         {"2026-01-01T00:00:00+00:00\n", "done \"well\"\n"}}) {
      const auto sweep = read_foreign_results(before + text + behind);
      ASSERT_TRUE(sweep) << form.name << sweep.error().message;
      EXPECT_EQ(with_a_time(*sweep), 2U);
      EXPECT_NE(sweep->lacks.find("before or behind the results"), std::string::npos) << sweep->lacks;
    }
    EXPECT_FALSE(read_foreign_results(text + text)) << "two files in one";
  }
}

TEST(ForeignOddRow, DoesNotHideAFaultInTheMiddle) {
  for (const OddForm& form : kOddForms) {
    if (form.name == std::string("kernel tuner")) continue;  // rows are members there
    std::string text = file_of(form, {"1", "2", "3"});
    text.erase(text.find('}', form.start.size()), 1);  // the end of the first row
    EXPECT_FALSE(read_foreign_results(text)) << form.name;
  }
}

}  // namespace
}  // namespace kernsweep
