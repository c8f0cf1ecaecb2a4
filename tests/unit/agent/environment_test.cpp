#include "worker/agent/environment.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace kernsweep {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SlotEnvironment, DropsWhatIsNotOnThePassList) {
  setenv("KERNSWEEP_TEST_SECRET", "x", 1);
  EXPECT_THAT(slot_environment({}, 1), Not(Contains(HasSubstr("KERNSWEEP_TEST_SECRET"))));
  unsetenv("KERNSWEEP_TEST_SECRET");
}

TEST(SlotEnvironment, KeepsThePathOfTheAgent) {
  setenv("PATH", "/usr/bin:/bin", 1);
  EXPECT_THAT(slot_environment({}, 1), Contains("PATH=/usr/bin:/bin"));
}

TEST(SlotEnvironment, TellsEveryLibraryTheThreadsOfTheJob) {
  const auto lines = slot_environment({}, 3);
  for (const char* name : {"BLIS", "MKL", "OMP", "OPENBLAS"}) {
    EXPECT_THAT(lines, Contains(std::string(name) + "_NUM_THREADS=3"));
  }
}

TEST(SlotEnvironment, TheFileHasTheLastWord) {
  const auto lines = slot_environment({{"OMP_NUM_THREADS", "7"}, {"PATH", "/nowhere"}}, 1);
  EXPECT_THAT(lines, Contains("OMP_NUM_THREADS=7"));
  EXPECT_THAT(lines, Not(Contains("OMP_NUM_THREADS=1")));
  EXPECT_THAT(lines, Contains("PATH=/nowhere"));
}

}  // namespace
}  // namespace kernsweep
