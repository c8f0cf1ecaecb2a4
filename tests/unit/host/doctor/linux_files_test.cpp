#include "worker/host/doctor/linux_files.hpp"

#include <gtest/gtest.h>

#include "tests/unit/host/doctor/tree.hpp"

namespace kernsweep {
namespace {

using Cpus = std::vector<std::uint32_t>;

TEST(CpuLists, AreReadAsTheKernelWritesThem) {
  EXPECT_EQ(cpu_list_of("0-3,8"), (Cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(cpu_list_of("5\n"), (Cpus{5}));
  EXPECT_EQ(cpu_list_of(""), Cpus{});
}

TEST(CpuLists, ThatAreDamagedGiveWhatCanBeRead) {
  EXPECT_EQ(cpu_list_of("x,2,3-,-1,7-5,4-99999999999"), (Cpus{2}));
}

TEST(Numbers, AreTheWholeOfAText) {
  EXPECT_EQ(number_of(" 12\n"), 12);
  EXPECT_EQ(number_of("-1"), -1);
  for (const char* text : {"", "max", "12 kB", "0x10", "1.5", "99999999999999999999"})
    EXPECT_FALSE(number_of(text)) << text;
}

TEST(Fields, AreFoundByTheirWholeKey) {
  const std::vector<std::string> lines = {"MemTotalHuge: 1 kB", "MemTotal:   2 kB", "nr_throttled 7",
                                          "empty:"};
  EXPECT_EQ(field_in(lines, "MemTotal"), "2 kB");
  EXPECT_EQ(field_in(lines, "nr_throttled"), "7");
  EXPECT_EQ(field_in(lines, "empty"), "");
  EXPECT_FALSE(field_in(lines, "nr"));
}

TEST(Choices, StandInBrackets) {
  testing::Tree tree;
  tree.write("a", "always [madvise] never\n");
  tree.write("b", "plain\n");
  EXPECT_EQ(chosen_in(tree.root() + "a"), "madvise");
  EXPECT_EQ(chosen_in(tree.root() + "b"), "plain");
  EXPECT_EQ(chosen_in(tree.root() + "missing"), "");
}

}  // namespace
}  // namespace kernsweep
