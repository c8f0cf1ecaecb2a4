// Which earlier results still hold, as workers answer.
#include "coordinator/net/earlier.hpp"

#include <gtest/gtest.h>

namespace kernsweep::coordinator {
namespace {

Origin origin(std::uint32_t host, std::uint32_t software, const std::string& fingerprint) {
  Origin made;
  made.host = HostId{host};
  made.software = SoftwareId{software};
  made.fingerprint = fingerprint;
  made.host_name = "node" + std::to_string(host);
  made.sources = "program\tx\t./x\t1\t00";
  return made;
}

class Earlier : public ::testing::Test {
 protected:
  void read(std::vector<Origin> own) {
    EarlierAnswer answer;
    answer.own = std::move(own);
    check_.read(std::move(answer));
  }
  // Numbers of the questions for this worker.
  std::vector<std::uint32_t> asked(std::uint32_t worker, const std::string& fingerprint) {
    std::vector<std::uint32_t> numbers;
    const wire::SoftwareChecks checks = check_.questions_for(WorkerId{worker}, fingerprint, next_);
    for (const auto& each : checks.checks()) numbers.push_back(each.number());
    return numbers;
  }
  void answer(std::uint32_t worker, std::uint32_t number, const std::string& changed = "") {
    wire::SoftwareAnswer told;
    told.set_number(number);
    told.set_changed(changed);
    check_.answered(WorkerId{worker}, told);
  }

  using Numbers = std::vector<std::uint32_t>;
  EarlierCheck check_{true};
  std::uint32_t next_ = 1;
};

TEST_F(Earlier, IsNotSettledBeforeTheDatabaseIsRead) {
  EXPECT_FALSE(check_.is_settled());
  read({});
  EXPECT_TRUE(check_.is_settled());
  EXPECT_FALSE(check_.is_stale());
}

TEST_F(Earlier, EachOriginIsAskedOnceOfAWorkerOfItsKindOfHost) {
  read({origin(1, 1, "aa"), origin(1, 2, "aa"), origin(2, 1, "bb")});
  EXPECT_EQ(asked(7, "cc"), Numbers{});
  EXPECT_EQ(asked(7, "aa"), (Numbers{1, 2}));
  EXPECT_EQ(asked(8, "aa"), Numbers{});
  EXPECT_EQ(asked(9, "bb"), Numbers{3});
  answer(7, 1);
  answer(7, 2);
  EXPECT_FALSE(check_.is_settled());
  answer(9, 3);
  EXPECT_TRUE(check_.is_settled());
  EXPECT_FALSE(check_.is_stale());
}

TEST_F(Earlier, OneChangedOriginMakesTheSweepStale) {
  read({origin(1, 1, "aa"), origin(1, 2, "aa")});
  asked(7, "aa");
  answer(7, 2, "./x has changed");
  answer(7, 1);
  EXPECT_TRUE(check_.is_stale());
}

TEST_F(Earlier, OnlyWhoWasAskedIsBelieved) {
  read({origin(1, 1, "aa")});
  asked(7, "aa");
  answer(8, 1);
  answer(7, 99);
  EXPECT_FALSE(check_.is_settled());
}

TEST_F(Earlier, WhoLeftIsNotWaitedFor) {
  read({origin(1, 1, "aa")});
  EXPECT_EQ(asked(7, "aa"), Numbers{1});
  check_.forget_all_but({WorkerId{8}});
  EXPECT_EQ(asked(8, "aa"), Numbers{2});
  answer(7, 1, "too late");
  EXPECT_FALSE(check_.is_settled());
  answer(8, 2);
  EXPECT_TRUE(check_.is_settled());
  EXPECT_FALSE(check_.is_stale());
}

TEST_F(Earlier, ResultsOfAnAbsentHostStandOrFallAsTheCallerSays) {
  read({origin(1, 1, "aa")});
  check_.give_up_all_but({"bb"}, true);
  EXPECT_TRUE(check_.is_settled());
  EXPECT_FALSE(check_.is_stale());
  EarlierCheck local(true);
  EarlierAnswer same;
  same.own = {origin(1, 1, "aa")};
  local.read(std::move(same));
  local.give_up_all_but({"bb"}, false);
  EXPECT_TRUE(local.is_stale());
}

TEST_F(Earlier, AProgramOfWhichNothingWasKeptHasChanged) {
  Origin old = origin(1, 1, "aa");
  old.sources.clear();
  read({old});
  EXPECT_TRUE(check_.is_settled());
  EXPECT_TRUE(check_.is_stale());
  EarlierCheck pack(false);  // its libraries identify what ran
  EarlierAnswer same;
  same.own = {old};
  pack.read(std::move(same));
  EXPECT_FALSE(pack.is_settled());
}

TEST_F(Earlier, OfAJobThatNobodyBeganNothingCanHaveChanged) {
  read({origin(0, 0, "")});
  EXPECT_TRUE(check_.is_settled());
  EXPECT_FALSE(check_.is_stale());
}

}  // namespace
}  // namespace kernsweep::coordinator
