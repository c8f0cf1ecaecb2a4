// Answers as checks: which verdict is a failure, and that names and messages survive XML and GitHub.
#include "results/report/answer_checks.hpp"

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/answer/compare_fixture.hpp"

namespace kernsweep {
namespace {

using test::CompareTest;

struct ChecksTest : CompareTest {};

TEST_F(ChecksTest, EachPairIsACheck) {
  begin("s", {"variant", "m"});
  for (int m = 1; m <= 3; ++m) put_point({"a", m}, 0.001 + 1e-9 * m, nullptr, 12);
  put_point({"b", 1}, 0.002);
  put_point({"b", 2}, 0.001, nullptr, 12);
  put_point({"b", 3}, 0.001, nullptr, 1);
  const AnswerChecks checks = checks_of(compared("variant=a", "variant=b"));
  ASSERT_EQ(checks.checks.size(), 3U);
  EXPECT_EQ(checks.checks[0].name, "m=1");
  EXPECT_EQ(checks.checks[0].state, AnswerCheckState::failed);
  EXPECT_EQ(checks.checks[1].state, AnswerCheckState::passed);
  EXPECT_EQ(checks.checks[2].state, AnswerCheckState::undecided);
  EXPECT_THAT(checks.checks[0].message + "\n" + checks.checks[2].message, IsGolden());
}

TEST_F(ChecksTest, NothingComparedIsOneCheck) {
  begin("s", {"variant", "m"});
  put_point({"a", 1}, 0.001);
  put_point({"b", 2}, 0.001);
  const AnswerChecks checks = checks_of(compared("variant=a", "variant=b"));
  ASSERT_EQ(checks.checks.size(), 1U);
  EXPECT_EQ(checks.checks[0].state, AnswerCheckState::not_comparable);
}

TEST(AnswerChecks, AClaimIsACheckAtItsLine) {
  ClaimsAnswer answer{.sweep = "s", .file = "s.yaml", .id = SweepId{3}, .claims = {}};
  answer.claims.resize(3);
  answer.claims[0].claim.name = "pays";
  answer.claims[0].claim.line = 7;
  answer.claims[0].verdict = ClaimVerdict::refuted;
  answer.claims[1].verdict = ClaimVerdict::confirmed;
  answer.claims[2].reason = "no point was measured";
  const AnswerChecks checks = checks_of(answer);
  EXPECT_EQ(checks.name, "claims of s@3");
  EXPECT_EQ(checks.checks[0].state, AnswerCheckState::failed);
  EXPECT_EQ(checks.checks[0].name, "pays");
  EXPECT_EQ(checks.checks[0].file, "s.yaml");
  EXPECT_EQ(checks.checks[0].line, 7);
  EXPECT_EQ(checks.checks[1].state, AnswerCheckState::passed);
  EXPECT_EQ(checks.checks[2].state, AnswerCheckState::undecided);
  EXPECT_EQ(checks.checks[2].message, "undecided: no point was measured");
}

// Characters with a meaning in XML and GitHub's commands, characters that XML forbids, and a byte that is
// not text.
AnswerChecks hostile() {
  return {.name = "compare <a> & \"b\"",
          .checks = {{.name = "same", .message = "fine", .state = AnswerCheckState::passed},
                     {.name = "open", .message = "50 %, or\nmore", .state = AnswerCheckState::undecided},
                     {.name = "a,b:c=<\x01\xFF>",
                      .message = "slower: 100 %\r\n::error::no",
                      .state = AnswerCheckState::failed,
                      .file = "my,sweep.yaml",
                      .line = 12},
                     {.name = "none", .message = "no pair", .state = AnswerCheckState::not_comparable}}};
}

TEST(AnswerChecks, JUnitEscapesWhatXmlDoesNotAllow) {
  EXPECT_THAT(junit_of(hostile()), IsGolden());
}

TEST(AnswerChecks, AnnotationsStayOneCommandPerLineWithFailuresFirst) {
  EXPECT_THAT(annotations_of(hostile()), IsGolden());
}

}  // namespace
}  // namespace kernsweep
