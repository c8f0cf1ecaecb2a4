#include "worker/slot/asked.hpp"

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
  out.threads = threads;
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
  EXPECT_THAT(differences({2, {0, 1}, {}}, found(1)), IsEmpty()) << "fewer threads may be all it needs";
}

TEST(Asked, MoreThreadsThanAskedFor) {
  EXPECT_THAT(differences({1, {}, {}}, found(3)),
              ElementsAre("asked for 1 thread, the process has 2 more"));
  EXPECT_THAT(differences({2, {}, {}}, found(3)),
              ElementsAre("asked for 2 threads, the process has 1 more"));
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

TEST(Asked, ACoreTypeThatTheLibraryDidNotTake) {
  variables() = {{"OPENBLAS_CORETYPE", "Haswell"}};
  const Asked asked{1, {}, {{"OPENBLAS_CORETYPE", "Haswell"}}};
  Found seen = found();
  seen.runtime = "OpenBLAS 0.3.21 core=SkylakeX threads=1";
  EXPECT_THAT(differences(asked, seen),
              ElementsAre("asked for the core type Haswell, the library chose SkylakeX"));
  for (const char* runtime : {"OpenBLAS 0.3.21 core=HASWELL threads=1", "core=haswell", "OpenBLAS", "",
                              "score=Zen", "BLIS core="}) {
    seen.runtime = runtime;
    EXPECT_THAT(differences(asked, seen), IsEmpty()) << runtime;
  }
}

TEST(Asked, ThreadsOfThisProcessAreCountedWithTheirCores) {
  const std::uint32_t before = thread_count();
  EXPECT_GE(before, 1u);
  EXPECT_EQ(cpus_of_threads().size(), before);
  std::atomic<bool> started = false, stop = false;
  std::thread another([&] {
    started = true;
    started.notify_all();
    stop.wait(false);
  });
  started.wait(false);
  EXPECT_EQ(thread_count(), before + 1);
  for (const auto& cpus : cpus_of_threads()) EXPECT_FALSE(cpus.empty());
  stop = true;
  stop.notify_all();
  another.join();
}

}  // namespace
}  // namespace kernsweep
