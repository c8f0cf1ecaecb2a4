#include "coordinator/net/reuse.hpp"

#include <cstdlib>

#include "shared/content_hash.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep::coordination {
namespace {

class Reuse : public testing::Test {
 protected:
  // A line of a library with this content, whose file is written with it.
  std::string library(const std::string& name, const std::string& content) {
    test::write_file(folder_.file(name), content);
    return folder_.file(name) + "\t" + name + "\t-\t" + std::to_string(content.size()) + "\t" +
           content_hash(content.data(), content.size()).hex() + "\t-";
  }
  test::Folder folder_;
  MeasuredBy by_{"f00d", "0.1.0", library("libone.so", "one") + "\n" + library("libtwo.so", "two")};
};

TEST_F(Reuse, TheSameHostAndFilesMeasureTheSame) {
  EXPECT_TRUE(ReuseRule("f00d", "0.1.0").allows(by_));
}

TEST_F(Reuse, AnotherHostOrVersionDoesNot) {
  EXPECT_FALSE(ReuseRule("beef", "0.1.0").allows(by_));
  EXPECT_FALSE(ReuseRule("f00d", "0.1.1").allows(by_));
  EXPECT_FALSE(ReuseRule("f00d", "0.1.0").allows(MeasuredBy{})) << "nothing is known of it";
}

TEST_F(Reuse, AFileThatChangedOrIsGoneDoesNot) {
  test::write_file(folder_.file("libtwo.so"), "TWO");
  EXPECT_FALSE(ReuseRule("f00d", "0.1.0").allows(by_));
  std::filesystem::remove(folder_.file("libtwo.so"));
  EXPECT_FALSE(ReuseRule("f00d", "0.1.0").allows(by_));
}

TEST_F(Reuse, ALineWithoutAHashDoesNot) {
  by_.libraries += "\n/lib/gone.so\tgone.so\t-\t0\t-\t-";
  EXPECT_FALSE(ReuseRule("f00d", "0.1.0").allows(by_));
}

TEST_F(Reuse, OfAnUnknownHostTheVersionDecides) {
  std::filesystem::remove(folder_.file("libtwo.so"));
  EXPECT_TRUE(ReuseRule("", "0.1.0").allows(by_));
  EXPECT_FALSE(ReuseRule("", "0.2.0").allows(by_));
}

}  // namespace
}  // namespace kernsweep::coordination
