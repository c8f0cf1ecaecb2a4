#include "worker/slot/job/settings_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

namespace kernsweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> set;
  return set;
}

Found found(std::uint32_t threads = 1) {
  Found out;
  out.threads = WorkedThreads{threads, false};
  out.cpus_of_threads = {{0, 1}, {0, 1}};
  out.variable = [](const char* name) -> const char* {
    const auto at = variables().find(name);
    return at == variables().end() ? nullptr : at->second.c_str();
  };
  return out;
}

TEST(Asked, NothingDiffers) {
  variables() = {{"A", "1"}};
  EXPECT_THAT(differences({2, {0, 1}, {{"A", "1"}}}, found(2)), IsEmpty());
}

TEST(Asked, MoreThreadsThanAskedFor) {
  EXPECT_THAT(differences({1, {}, {}}, found(3)), ElementsAre("1 thread was asked for, 3 worked"));
  EXPECT_THAT(differences({2, {}, {}}, found(3)), ElementsAre("2 threads were asked for, 3 worked"));
  Found seen = found(3);
  seen.threads->at_least = true;
  EXPECT_THAT(differences({2, {}, {}}, seen), ElementsAre("2 threads were asked for, at least 3 worked"));
}

TEST(Asked, PoolsThatWorkOneAfterTheOtherAreNotMoreThreads) {
  Found seen = found(3);
  seen.threads_at_once = 2;
  EXPECT_THAT(differences({2, {}, {}}, seen), IsEmpty());
  EXPECT_THAT(differences({1, {}, {}}, seen), ElementsAre("1 thread was asked for, 3 worked"));
  seen = found(1);
  seen.threads_at_once = 1;
  EXPECT_THAT(differences({2, {}, {}}, seen), ElementsAre("2 threads were asked for, 1 worked"));
}

TEST(Asked, FewerThreadsThanAskedFor) {
  EXPECT_THAT(differences({2, {}, {}}, found(1)), ElementsAre("2 threads were asked for, 1 worked"));
  Found seen = found(1);
  seen.threads->at_least = true;
  EXPECT_THAT(differences({2, {}, {}}, seen), IsEmpty()) << "others may have, that have ended since";
  seen.threads.reset();
  EXPECT_THAT(differences({2, {}, {}}, seen), IsEmpty()) << "nothing can be told";
}

TEST(Asked, ThreadsOfADeviceAreNotThoseOfTheHost) {
  Found seen = found(1);
  seen.threads.reset();
  seen.runtime = "cuda_tiled tile=64x64x8 threads=128";
  EXPECT_THAT(differences({1, {}, {}}, seen),
              ElementsAre("1 thread was asked for, the variant says that it uses 128"));
  seen.on_device = true;
  EXPECT_THAT(differences({1, {}, {}}, seen), IsEmpty());
}

TEST(Asked, OtherThreadsThanTheVariantSaysItUses) {
  Found seen = found(2);
  seen.runtime = "OpenBLAS 0.3.21 core=Haswell threads=1";
  EXPECT_THAT(differences({2, {}, {}}, seen),
              ElementsAre("2 threads were asked for, the variant says that it uses 1"));
  EXPECT_THAT(differences({1, {}, {}}, seen), ElementsAre("1 thread was asked for, 2 worked"));
  seen.threads.reset();
  EXPECT_THAT(differences({1, {}, {}}, seen), IsEmpty());
  seen.runtime = "threads=0";
  EXPECT_THAT(differences({2, {}, {}}, seen), IsEmpty()) << "a library that does not tell";
}

TEST(Asked, WhatWasCountedAndToldAlikeIsSaidOnce) {
  Found seen = found(1);
  seen.runtime = "threads=1";
  EXPECT_THAT(differences({2, {}, {}}, seen), ElementsAre("2 threads were asked for, 1 worked"));
}

TEST(Asked, AThreadThatMayRunElsewhere) {
  Found seen = found();
  seen.cpus_of_threads = {{2, 3}, {3}, {2, 4}};
  EXPECT_THAT(differences({1, {2, 3}, {}}, seen),
              ElementsAre("asked for the cores 2-3, a thread may run on 2,4"));
  seen.cpus_of_threads = {{2}, {3}};
  EXPECT_THAT(differences({1, {2, 3}, {}}, seen), IsEmpty()) << "a library may bind its threads within";
  seen.cpus_of_threads = {{9}};
  EXPECT_THAT(differences({1, {}, {}}, seen), IsEmpty()) << "not bound: anywhere is right";
}

TEST(Asked, AVariableThatALibraryHasChanged) {
  variables() = {{"A", "2"}, {"C", "c"}};
  EXPECT_THAT(differences({1, {}, {{"A", "1"}, {"B", "b"}, {"C", "c"}}}, found()),
              ElementsAre("asked for A=1, it is now 2", "asked for B=b, it is not set any more"));
}

TEST(Asked, ALibraryThatIsNotWhatItsVariableSays) {
  variables() = {{"OPENBLAS_CORETYPE", "Haswell"}, {"BLIS_ARCH_TYPE", "3"}};
  Asked asked{1, {}, {{"BLIS_ARCH_TYPE", "3"}, {"OPENBLAS_CORETYPE", "Haswell"}}};
  Found seen = found();
  seen.runtime = "OpenBLAS 0.3.21 core=SkylakeX threads=1";
  EXPECT_THAT(differences(asked, seen),
              ElementsAre("asked for the core type Haswell, the library chose SkylakeX"));
  seen.runtime = "BLIS 0.9.0 arch=skx arch_id=0 threads=1";
  EXPECT_THAT(differences(asked, seen),
              ElementsAre("asked for BLIS_ARCH_TYPE=3, the library chose skx (0)"));
}

// Eleven of twenty looks saw three ready threads.
TEST(Asked, AProgramWithMoreThreadsThanCoresIsAdvised) {
  std::vector<CoreLook> looks(11, {3, 1, {0}, {0}});
  looks.resize(20, {1, 1, {0}, {0}});
  EXPECT_EQ(advice_on_threads({1, {0}, {}}, looks, 8), "3 threads on 1 core; add threads: 3");
  EXPECT_EQ(advice_on_threads({1, {0}, {}}, looks, 2), "3 threads on 1 core; add threads: 2");
  EXPECT_EQ(advice_on_threads({2, {0, 1}, {}}, looks, 2), "3 threads on 2 cores, all that the host has");
  EXPECT_EQ(advice_on_threads({3, {0, 1, 2}, {}}, looks, 8), std::nullopt);
  looks.push_back(looks.back());
  looks.push_back(looks.back());
  EXPECT_EQ(advice_on_threads({1, {0}, {}}, looks, 8), std::nullopt) << "half of 22 are one at a time";
  looks.assign(19, {3, 1, {0}, {0}});
  EXPECT_EQ(advice_on_threads({1, {0}, {}}, looks, 8), std::nullopt) << "too few to know";
}

TEST(Asked, EachThreadOfThisProcessHasItsCores) {
  const std::size_t before = cpus_of_threads().size();
  EXPECT_GE(before, 1u);
  std::atomic<bool> started = false, stop = false;
  std::thread another([&] {
    started = true;
    started.notify_all();
    stop.wait(false);
  });
  started.wait(false);
  EXPECT_EQ(cpus_of_threads().size(), before + 1);
  for (const auto& cpus : cpus_of_threads()) EXPECT_FALSE(cpus.empty());
  stop = true;
  stop.notify_all();
  another.join();
}

}  // namespace
}  // namespace kernsweep
