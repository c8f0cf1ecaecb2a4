#include "shared/text/home_path.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace kernsweep {
namespace {

const std::string kHomes = "/home/";

class HomePath : public testing::Test {
 protected:
  HomePath() {
    if (const char* before = std::getenv("HOME")) before_ = before;
    setenv("HOME", (kHomes + "alice/").c_str(), 1);
  }
  ~HomePath() override {
    if (before_)
      setenv("HOME", before_->c_str(), 1);
    else
      unsetenv("HOME");
  }
  std::optional<std::string> before_;
};

TEST_F(HomePath, NamesNoUser) {
  EXPECT_EQ(without_home(kHomes + "alice/x/y.so"), "~/x/y.so");
  EXPECT_EQ(without_home(kHomes + "alice"), "~");
  EXPECT_EQ(without_home(kHomes + "alicia/x"), kHomes + "-/x");
  EXPECT_EQ(without_home(kHomes + "bob"), kHomes + "-");
}

TEST_F(HomePath, LeavesOtherPathsAlone) {
  for (const char* path : {"", "x.yaml", "../a/b", "/usr/lib/libm.so.6", "/homes/alice", "~bob/x"}) {
    EXPECT_EQ(without_home(path), path);
    EXPECT_EQ(with_home(path), path);
  }
}

TEST_F(HomePath, ComesBackAsItWas) {
  EXPECT_EQ(with_home(without_home(kHomes + "alice/x/y.so")), kHomes + "alice/x/y.so");
  EXPECT_EQ(with_home("~"), kHomes + "alice");
}

TEST_F(HomePath, NoHomeOrOneThatSaysNothingHidesNothing) {
  setenv("HOME", "/", 1);
  EXPECT_EQ(without_home("/usr/x"), "/usr/x");
  unsetenv("HOME");
  EXPECT_EQ(without_home("/usr/x"), "/usr/x");
  EXPECT_EQ(without_home(kHomes + "bob/x"), kHomes + "-/x");
}

}  // namespace
}  // namespace kernsweep
