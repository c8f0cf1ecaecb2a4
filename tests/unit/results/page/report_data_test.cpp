#include "results/page/report_data.hpp"

#include <nlohmann/json.hpp>
#include <regex>

#include "results/page/html_page.hpp"
#include "shared/base/output_sample.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;

constexpr std::string_view kPage =
    "<title>%%kernsweep:title%%</title><script nonce=\"%%kernsweep:nonce%%\"></script><pre>"
    "%%kernsweep:answer%%</pre><script type=\"application/json\">%%kernsweep:data%%</script>";

struct ReportDataTest : test::QueryTest {
  SweepReport report(const ReportQuestion& question = {.database = "r.db"}, const ReportParts& parts = {}) {
    Reader r = reader();
    return good(report_data(r, question, parts));
  }
  // A member of the whole on a line.
  static std::string in_lines(const std::string& json) {
    static const std::regex member(
        ", \"(made_by|database|sweep|sweeps|answer|axes|points|processes|failures|grades|rejected|"
        "comparison|claims|roofs|hosts|software)\": ");
    const std::string lines = std::regex_replace(json, member, ",\n\"$1\": ");
    return std::regex_replace(lines, std::regex("kernsweep \\d+\\.\\d+\\.\\d+"), "kernsweep <version>");
  }
};

TEST_F(ReportDataTest, OfASmallDatabaseHasEveryPointEachProcessAndWhatFailed) {
  begin("s", {"variant", "m", "threads"});
  for (const double median : {1e-3, 1.02e-3, 0.99e-3}) {
    Job made = job({"blas", 64, 2}, median);
    made.record.point = 0;
    made.record.flops = 1e6;
    made.record.bytes = 1e4;
    put(made);
  }
  put({"naive", 64, 1}, 4e-3);
  Job warned = job({"naive", 64, 2}, 2e-3);
  warned.record.grade = 'B';
  warned.record.grade_reasons = "2 pages \"faulted\"\nand more";
  put(warned);
  put(job({"jit", 64, Null()}, 1).failed(Outcome::signal, "SIGILL </script>"));
  put(job({"jit", 65, Null()}, 1).failed(Outcome::signal, "SIGILL </script>"));
  EXPECT_THAT(in_lines(report().json), IsGolden());
}

// Not in the stored grades: outputs that differ between processes, and a point that is wrong in one.
TEST_F(ReportDataTest, GradesThatOnlyAnAnswerKnowsAreThere) {
  begin("s", {"variant"});
  for (const double output : {1.0, 1.0, 2.0}) {
    OutputSample sample;
    sample.runs = 2;
    sample.type = "f64";
    sample.shape = {1};
    OutputSums sums;
    sums.see({&output, 1});
    sums.add({&output, 1});
    sums.finish(sample);
    const std::string text = text_of(sample);
    Job made = job({"state"}, 1e-3);
    made.record.point = 0;
    made.record.output_sample = text;
    put(made);
  }
  for (const bool right : {true, false}) {
    Job made = job({"flaky"}, 1e-3);
    made.record.point = 1;
    put(right ? made : made.failed(Outcome::wrong_result, "error 1"));
  }
  const nlohmann::json data = nlohmann::json::parse(report().json);
  EXPECT_EQ(data["points"]["count"], 1);
  EXPECT_EQ(data["points"]["grades"], "B");
  ASSERT_EQ(data["grades"].size(), 2U);
  EXPECT_EQ(data["grades"][0]["cause"], "outputs differ");
  EXPECT_EQ(data["grades"][0]["jobs"], 3);
  EXPECT_EQ(data["grades"][1]["grade"], "X");
  EXPECT_EQ(data["grades"][1]["reason"], "variant=flaky is wrong in 1 of 2 jobs, such as result 5");
}

TEST_F(ReportDataTest, AnEmptySweepIsToldAsOne) {
  begin("s", {"variant"});
  const SweepReport made = report({.database = "r.db"}, {.claims = "", .rejected = "2 of 4 points"});
  EXPECT_THAT(in_lines(made.json), IsGolden());
}

// NaN and infinity are not JSON; a point without other data is listed nevertheless.
TEST_F(ReportDataTest, NumbersThatAreNoneAreNull) {
  begin("s", {"variant", "x"});
  Job odd = job({"a", NAN}, 1e-3);
  odd.record.gflops = HUGE_VAL;
  put(odd);
  const std::string json = report().json;
  EXPECT_EQ(json.find("nan"), std::string::npos);
  EXPECT_EQ(json.find("inf"), std::string::npos);
  EXPECT_THAT(json, testing::ContainsRegex("\"count\": 1"));
}

TEST_F(ReportDataTest, ASweepOfTheSameNameBeforeIsComparedUnlessAnotherIsNamed) {
  begin("s", {"variant"});
  put({"a"}, 1e-3);
  SweepRecord again = test::sweep_named("s", {"variant"});
  again.identity = digest_of("again");
  begin(again);
  put({"a"}, 2e-3);
  const std::string compared = R"("comparison": {"answer": {"a": {"what": "s@1 )";
  EXPECT_NE(report().json.find(compared), std::string::npos);
  Reader r = reader();
  EXPECT_FALSE(report_data(r, {.database = "r.db", .against = "tag:no=such"}, {}));
  EXPECT_FALSE(report_data(r, {.sweep = "none", .database = "r.db"}, {}));
}

TEST_F(ReportDataTest, NoTextOfOthersEndsItsElementOrBeginsAnother) {
  const std::string hostile = "</script><!--<script>%%kernsweep:data%%&lt;\"'";
  begin(hostile, {"variant", hostile});
  put({"a</pre>", hostile}, 1e-3);
  const SweepReport made = report();
  const std::string html = good(html_page(kPage, made));
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = html.find("</script>", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, 2U);
  EXPECT_NE(html.find("\\u003c/script\\u003e"), std::string::npos);
  EXPECT_EQ(html, good(html_page(kPage, report())));  // the same data, the same bytes
}

TEST(HtmlPage, APageThatLacksAPlaceIsRefused) {
  const SweepReport none{"t", "{}", ""};
  EXPECT_FALSE(html_page("%%kernsweep:title%%", none));
  EXPECT_FALSE(html_page(std::string(kPage) + "%%kernsweep:other%%", none));
  EXPECT_TRUE(html_page(kPage, none));
}

}  // namespace
}  // namespace kernsweep
