#include "worker/slot/watch/late_work.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kernsweep {
namespace {

using namespace std::chrono_literals;

// A millisecond of watching is a reading.
class Watched {
 public:
  // Returns whether to read again.
  bool step(double threads_s, double processes_s, bool waits = false) {
    at_ = at_ + LateTail::kStep;
    tree_.other_threads_s += threads_s;
    if (tree_.processes.empty()) tree_.processes.push_back({7, 0, false, false});
    tree_.processes.front().cpu_s += processes_s;
    return tail.add(at_, tree_, waits);
  }
  void repeat(int steps, double threads_s, double processes_s) {
    for (int i = 0; i < steps && step(threads_s, processes_s); ++i) {
    }
  }

 private:
  Instant at_{std::chrono::seconds(1000)};
  TreeTime tree_;

 public:
  LateTail tail{at_, TreeTime{}};
};

LateTail tail_of(int ms_of_threads, int ms_of_processes = 0) {
  Watched watched;
  watched.repeat(ms_of_threads, 1e-3, 0);
  watched.repeat(ms_of_processes, 0, 1e-3);
  watched.repeat(4, 0, 0);
  return watched.tail;
}

LateWork found(int ms_after_many, int ms_after_one, bool by_processes = false) {
  LateWork out;
  out.after_many = by_processes ? tail_of(0, ms_after_many) : tail_of(ms_after_many);
  out.after_one = by_processes ? tail_of(0, ms_after_one) : tail_of(ms_after_one);
  out.calls = 100;
  out.call_s = 1;
  return out;
}

TEST(LateTail, EndsWhenNothingHasWorkedForThreeMilliseconds) {
  Watched watched;
  EXPECT_TRUE(watched.step(1e-3, 0));
  EXPECT_TRUE(watched.step(0, 0));
  EXPECT_TRUE(watched.step(0.05e-3, 0)) << "less than a tenth of a core is none";
  EXPECT_FALSE(watched.step(0, 0));
  EXPECT_FALSE(watched.tail.outlasted());
  EXPECT_NEAR(watched.tail.worked_s(), 1.05e-3, 1e-9);
}

TEST(LateTail, DoesNotEndWhileSomethingWaitsForACore) {
  Watched watched;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(watched.step(0, 0, true));
  EXPECT_TRUE(watched.step(0, 0));
  EXPECT_TRUE(watched.step(0, 0));
  EXPECT_FALSE(watched.step(0, 0));
}

TEST(LateTail, IsCutAt250Milliseconds) {
  Watched watched;
  watched.repeat(1000, 0, 1e-3);
  EXPECT_TRUE(watched.tail.outlasted());
  EXPECT_TRUE(watched.tail.is_of_processes());
  EXPECT_NEAR(watched.tail.worked_s(), 0.25, 1e-9);
}

// A process that is waited for moves from the list to the time of its parent.
TEST(LateTail, CountsAProcessOnceWhoeverWaitsForIt) {
  const Instant begun{std::chrono::seconds(1000)};
  LateTail tail(begun, TreeTime{});
  TreeTime living;
  living.processes = {{7, 0.004, false, true}, {8, 0.001, false, true}};
  EXPECT_TRUE(tail.add(begun + 5ms, living, false));
  TreeTime ended;
  ended.waited_for_s = 0.005;                    // of number 7
  ended.processes = {{9, 0.002, false, false}};  // which number 8 has left to tick by tick
  (void)tail.add(begun + 7ms, ended, false);
  EXPECT_NEAR(tail.processes_s(), 0.005 + 0.002, 1e-9);
}

TEST(LateWork, ThatGrowsWithTheNumberOfCallsIsDoubtful) {
  EXPECT_NE(judge(found(80, 8)).doubt, "");
  EXPECT_EQ(judge(found(15, 8)).doubt, "") << "threads spin for 8 ms or for 15";
  EXPECT_NE(judge(found(15, 8)).note, "");
  EXPECT_NE(judge(found(15, 8, true)).doubt, "") << "processes do not spin";
  EXPECT_EQ(judge(found(0, 0)).note + judge(found(0, 0)).doubt, "");
}

TEST(LateWork, ThatIsMoreThanTheCallItselfIsDoubtful) {
  LateWork work = found(20, 20);
  work.call_s = 5e-3;
  EXPECT_NE(judge(work).doubt, "");
  work.has_spinning_library = true;
  EXPECT_EQ(judge(work).doubt, "");
  EXPECT_EQ(judge(work).note, "") << "as OpenBLAS does";
}

// A single request of 0.24 ms is outstanding, however many there were.
TEST(LateWork, OfLessThanAMillisecondIsComparedWithAShortCall) {
  const auto tail = [] {
    Watched watched;
    watched.repeat(1, 0.24e-3, 0);
    watched.repeat(4, 0, 0);
    return watched.tail;
  };
  LateWork work;
  work.after_many = tail();
  work.after_one = tail();
  work.calls = 100;
  work.call_s = 527e-9;
  EXPECT_TRUE(depends_on_one_call(work));
  EXPECT_NE(judge(work).doubt, "");
  work.call_s = 0.2e-3;
  EXPECT_EQ(judge(work).doubt, "") << "a pool puts its result away";
  work.call_s = 527e-9;
  work.has_spinning_library = true;
  EXPECT_FALSE(depends_on_one_call(work));
  EXPECT_EQ(judge(work).doubt + judge(work).note, "");
}

TEST(LateWork, OfThreadsThatSleepIsDoubtfulWhereEachCallLeavesOne) {
  LateWork work = found(0, 0);
  work.left_threads = 100;
  EXPECT_TRUE(may_leave_threads(work));
  EXPECT_EQ(judge(work).doubt, "") << "a pool of 100 threads, which is complete";
  work.more_threads = LateWork::kMoreCalls;
  EXPECT_NE(judge(work).doubt, "");
  EXPECT_TRUE(judge(work).still_works);
  EXPECT_FALSE(depends_on_one_call(work));
  work.left_threads = 4;
  EXPECT_FALSE(may_leave_threads(work)) << "a pool of four, and 100 calls";
  work.left_threads = LateWork::kManyThreads;
  work.call_s = 1e-3;
  EXPECT_TRUE(may_leave_threads(work)) << "threads of earlier calls may have ended";
  work.call_s = 1;
  EXPECT_FALSE(may_leave_threads(work)) << "two more calls would take too long";
}

// On one core, each call waits while the process of the one before it works.
TEST(LateWork, OfProcessesThatNoCallWaitedForIsAskedForThoughNoneIsLeft) {
  LateWork work = found(0, 8, true);
  EXPECT_FALSE(depends_on_one_call(work));
  work.unawaited = 1;
  EXPECT_TRUE(depends_on_one_call(work));
  work.call_s = 1e-3;
  EXPECT_NE(judge(work).doubt, "");
}

// They make the calls longer, so that what is left after one is no more than a call.
TEST(LateWork, OfProcessesThatTookTheCoreFromLaterCallsIsDoubtful) {
  LateWork work = found(8, 8, true);
  work.unawaited = 1;
  EXPECT_EQ(judge(work).doubt, "");
  work.was_switched = true;
  EXPECT_NE(judge(work).doubt, "");
  work.unawaited = 0;
  EXPECT_EQ(judge(work).doubt, "") << "all were waited for: others took the core";
}

// Two threads that spin for 20 ms: next to others they had a quarter of a core.
TEST(LateWork, OfThreadsThatSpinIsNoMoreWhereItLastsNoLonger) {
  LateWork work = found(60, 20);
  work.has_spinning_library = true;
  work.one_lasted_s = 0.055;
  EXPECT_EQ(judge(work).doubt, "");
  work.one_lasted_s = 0.02;
  EXPECT_NE(judge(work).doubt, "");
}

TEST(LateWork, ThatOutlastsTheLookIsDoubtfulUnlessItWasAskedFor) {
  LateWork work = found(1000, 0);
  EXPECT_NE(judge(work).doubt, "");
  EXPECT_TRUE(judge(work).still_works);
  work.asked_to_spin = "OMP_WAIT_POLICY=active";
  EXPECT_NE(judge(work).doubt, "") << "no library is there that would";
  work.has_spinning_library = true;
  EXPECT_EQ(judge(work).doubt, "");
  EXPECT_NE(judge(work).note, "");
  EXPECT_FALSE(judge(work).still_works);
}

TEST(LateWork, OfProcessesThatDoNotEndIsDoubtfulThoughTheySleep) {
  LateWork work = found(0, 0);
  work.calls = 8;
  work.left = 1;
  EXPECT_EQ(judge(work).doubt, "") << "a server";
  work.left = 4;
  EXPECT_NE(judge(work).doubt, "");
  EXPECT_FALSE(depends_on_one_call(work));
}

TEST(LateWork, IsAskedForByVariablesOfOpenMpAndOpenBlas) {
  const auto with = [](const std::string& name, const std::string& value) {
    return asked_to_spin([&](const char* asked) { return asked == name ? value.c_str() : nullptr; });
  };
  EXPECT_EQ(with("OMP_WAIT_POLICY", "ACTIVE"), "OMP_WAIT_POLICY=ACTIVE");
  EXPECT_EQ(with("OMP_WAIT_POLICY", "passive"), "");
  EXPECT_EQ(with("KMP_BLOCKTIME", "infinite"), "KMP_BLOCKTIME=infinite");
  EXPECT_EQ(with("KMP_BLOCKTIME", "0"), "");
  EXPECT_EQ(with("GOMP_SPINCOUNT", "1000000000"), "GOMP_SPINCOUNT=1000000000");
  EXPECT_EQ(with("PATH", "active"), "");
}

}  // namespace
}  // namespace kernsweep
