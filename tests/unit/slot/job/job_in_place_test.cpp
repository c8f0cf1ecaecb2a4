// Families whose calls overwrite operands: each call gets them as they were at first, and a call that does
// nothing on them is found.
#include <gmock/gmock.h>

#include <algorithm>

#include "kernels/api/pack.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/slot/job/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

using pack::family, pack::Family, pack::FamilyText, pack::Input, pack::param, pack::Setup, pack::variant;

struct Problem {
  std::int64_t n = 0;
  static auto params() {
    return std::vector{param<&Problem::n>({.name = "n", .summary = "numbers", .least = 0})};
  }
  auto inputs() const { return std::vector{Input{"kept", KS_F32, {n}}, Input{"x", KS_F32, {n}}}; }
  ks_tolerance tolerance() const { return {}; }
};

std::vector<bool> were_sorted;  // whether the operand was, at the begin of each call of `sorts`
int calls = 0;                  // of the variant

struct Sorts {
  std::span<float> x;
  Sorts(const Problem&, Setup& setup) : x(setup.in_place<float>(1)) { calls = 0; }
  void run() {
    ++calls;
    were_sorted.push_back(std::ranges::is_sorted(x));
    std::ranges::sort(x);
  }
};
struct Reference {
  std::span<double> out;
  std::span<float> x;
  Reference(const Problem& problem, Setup& setup)
      : out(setup.output<double>({problem.n})), x(setup.in_place<float>(1)) {}
  void run() {  // overwrites the operand, too
    std::ranges::sort(x);
    std::ranges::copy(x, out.begin());
  }
};
struct Nothing : Sorts {
  using Sorts::Sorts;
  void run() {}
};
template <int count>
struct SortsFirst : Sorts {
  using Sorts::Sorts;
  void run() {
    if (++calls <= count) std::ranges::sort(x);
  }
};

Family sorting(FamilyText text) {
  text.reference = "reference";
  return family<Problem>("sorting", "", text, variant<Sorts>("sorts", ""), variant<Nothing>("nothing", ""),
                         variant<SortsFirst<1>>("first", ""), variant<SortsFirst<6>>("first_six", ""),
                         variant<Reference>("reference", ""));
}

class InPlaceJob : public JobTest {
 protected:
  void use_sorting(const FamilyText& text = {.in_place = "x"}) {
    family_.emplace(sorting(text));
    use(family_->c_form());
    were_sorted.clear();
  }
  Ran sorted_by(const char* variant, std::int64_t n = 1000) { return run(variant, {{"n", n}}); }

  std::optional<Family> family_;
};

TEST_F(InPlaceJob, EachCallGetsTheOperandsAsTheyWereAtFirst) {
  use_sorting();
  for (const Cache cache : {Cache::hot, Cache::cold}) {
    cache_ = cache;
    const Ran ran = sorted_by("sorts");
    EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
    EXPECT_TRUE(ran.body.verified());
    EXPECT_TRUE(ran.body.repeatable());
    EXPECT_EQ(ran.body.calls_per_sample(), 1u);
    EXPECT_EQ(ran.body.samples_s_size(), 3);
    EXPECT_THAT(ran.doubts(), testing::IsEmpty());
    EXPECT_THAT(were_sorted, testing::Each(false));
    EXPECT_GE(were_sorted.size(), 8u) << "verified, warmed up, timed, checked";
  }
  EXPECT_EQ(sorted_by("sorts", 0).outcome, Outcome::ok) << "of no number";
}

TEST_F(InPlaceJob, WithoutVerificationToo) {
  use_sorting();
  rules_.measure.verify.enabled = false;
  EXPECT_EQ(sorted_by("sorts").outcome, Outcome::ok);
  EXPECT_THAT(were_sorted, testing::Each(false));
}

TEST_F(InPlaceJob, ColdCallsUseNoCopiesInTurn) {
  use_sorting();
  cache_ = Cache::cold;
  rules_.measure.samples = {3, 3, 20ms, 60s};  // watched
  worker_.keeps_copies = true;
  const Ran ran = sorted_by("sorts", 1 << 17);
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_EQ(ran.body.conditions().cold_by(), "eviction");
}

TEST_F(InPlaceJob, CallsThatDoNothingAreWrong) {
  use_sorting();
  const Ran ran = sorted_by("nothing");
  EXPECT_EQ(ran.outcome, Outcome::wrong_result) << "what is there is the operand";
  EXPECT_FALSE(ran.body.verified());
}

TEST_F(InPlaceJob, CallsThatDoNothingLaterAreWrong) {
  use_sorting();
  for (const char* variant : {"first", "first_six"}) {
    const Ran ran = sorted_by(variant);
    EXPECT_EQ(ran.outcome, Outcome::wrong_result) << variant;
    EXPECT_EQ(ran.body.samples_s_size(), 0);
    if (variant == std::string("first_six")) {
      EXPECT_THAT(ran.body.reason(), IsGolden());
    }
  }
}

TEST_F(InPlaceJob, AFamilyThatNamesNoOperandOfItsOwnIsTold) {
  use_sorting({.in_place = "x|keep"});
  const Ran ran = sorted_by("sorts");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

}  // namespace
}  // namespace kernsweep::testing_slot
