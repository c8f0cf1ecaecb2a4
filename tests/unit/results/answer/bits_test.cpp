#include "results/report/bits_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::QueryTest;
using testing::HasSubstr;

struct BitsTest : QueryTest {
  void put_hash(const std::vector<Value>& values, const std::string& hash, const std::string& reasons = "",
                const std::string& inputs = "A=1", std::uint32_t process = 0) {
    Job made = job(values, 0.001);
    made.record.point = point_of(values);
    made.record.output_hash = hash;
    made.record.grade_reasons = reasons;
    made.record.grade = reasons.empty() ? 'A' : 'B';
    made.record.inputs = inputs;
    made.record.process = process;
    put(made);
  }
  BitsAnswer asked() {
    Reader r = reader();
    return good(bits(r, {}));
  }
  // "yes 3/2": pairs, and how many of them differ.
  static std::string about(const RowSet& rows, const std::string& axis) {
    for (std::size_t i = 0; i < rows.rows.size(); ++i)
      if (rows.rows[i][0] == Value(axis))
        return cell(rows, "changes_bits", i).to_text() + " " + cell(rows, "pairs", i).to_text() + "/" +
               cell(rows, "different", i).to_text();
    return "no row";
  }
};

// threads 1 and 2 agree for m = 8, not for m = 16, where 4 threads differ from 1 too: 3 pairs, 2 differ. m
// is another problem: its inputs differ, and it is not compared with itself.
TEST_F(BitsTest, AnAxisIsHeldAgainstItsFirstValueInEachGroup) {
  begin("s", {"m", "threads"});
  put_hash({8, 1}, "aa", "", "A=8");
  put_hash({8, 2}, "aa", "", "A=8");
  put_hash({16, 1}, "bb", "", "A=16");
  put_hash({16, 2}, "cc", "", "A=16");
  put_hash({16, 4}, "cc", "", "A=16");
  const BitsAnswer answer = asked();
  EXPECT_EQ(about(answer.axes, "threads"), "yes 3/2");
  EXPECT_EQ(about(answer.axes, "m"), "null 0/0");
  EXPECT_EQ(cell(answer.axes, "other_inputs", 0), Value(2));  // 16 against 8, with 1 and with 2 threads
  EXPECT_THAT(cell(answer.axes, "example", 1).to_text(), HasSubstr("1 and 2: results 3 and 4"));
}

TEST_F(BitsTest, AnAxisThatChangesNothingSaysNo) {
  begin("s", {"threads", "fixed"});
  put_hash({1, 7}, "aa");
  put_hash({2, 7}, "aa");
  const BitsAnswer answer = asked();
  EXPECT_EQ(about(answer.axes, "threads"), "no 1/0");
  EXPECT_EQ(about(answer.axes, "fixed"), "no row") << "one value is no axis";
}

TEST_F(BitsTest, SettingsOfOneVariantDoNotKeepVariantsApart) {
  begin("s", {"variant", "blas.library"});
  put_hash({"naive", Value()}, "aa");
  put_hash({"blas", "one"}, "aa");
  put_hash({"blas", "two"}, "bb");
  const BitsAnswer answer = asked();
  EXPECT_EQ(about(answer.axes, "variant"), "yes 2/1");
  EXPECT_EQ(about(answer.axes, "blas.library"), "yes 1/1");
}

TEST_F(BitsTest, ProcessesThatDisagreeAreNotRepeatableAndTellNothingOfAnAxis) {
  begin("s", {"variant", "threads"});
  put_hash({"sure", 1}, "aa");
  put_hash({"sure", 2}, "aa");
  for (const std::uint32_t process : {0, 1}) {
    put_hash({"racy", 1}, process == 0 ? "bb" : "cc", "", "A=1", process);
    put_hash({"racy", 2}, "dd", "", "A=1", process);
  }
  const BitsAnswer answer = asked();
  EXPECT_EQ(about(answer.axes, "process"), "yes 2/1");
  EXPECT_EQ(about(answer.axes, "threads"), "no 1/0") << "only those of `sure` can be told apart";
  ASSERT_EQ(answer.variants.rows.size(), 2U);
  EXPECT_EQ(cell(answer.variants, "repeatable", 0), Value("yes"));
  EXPECT_EQ(cell(answer.variants, "repeatable", 1), Value("no"));
  EXPECT_EQ(cell(answer.variants, "not_repeatable", 1), Value(1));
  EXPECT_EQ(cell(answer.variants, "points", 1), Value(2));
}

TEST_F(BitsTest, AJobThatRepeatedDifferentlyIsNotRepeatable) {
  begin("s", {"variant"});
  Job racy = job({"racy"}, 0.001);
  racy.record.point = point_of({"racy"});
  racy.record.output_hash = "aa";
  racy.record.inputs = "A=1";
  racy.record.repeatable = false;
  put(racy);
  // The text is for people; the column counts.
  put_hash({"sure"}, "aa", "repeated runs gave different bits, some day");
  const BitsAnswer answer = asked();
  EXPECT_EQ(cell(answer.variants, "repeatable", 0), Value("no"));
  EXPECT_EQ(cell(answer.variants, "repeatable", 1), Value("yes"));
  EXPECT_EQ(about(answer.axes, "variant"), "null 0/0");
}

TEST_F(BitsTest, WhatHasNoHashIsCounted) {
  begin("s", {"threads"});
  put({1}, 0.001);  // not verified: no hash
  put(job({2}, 1).failed(Outcome::signal, "died"));
  Reader r = reader();
  const BitsAnswer answer = good(bits(r, {}));
  EXPECT_EQ(answer.without_hash, 1U);
  EXPECT_EQ(answer.failed, 1U);
  EXPECT_THAT(text_of(answer, {}), HasSubstr("no two points to compare\n2 of 2 jobs left out: 1 failed"));
  EXPECT_THAT(to_json(answer), HasSubstr("\"axes\": []"));
}

}  // namespace
}  // namespace kernsweep
