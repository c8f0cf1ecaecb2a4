#include "results/sqlite/file_system.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

constexpr std::uint64_t kKibi = 1024, kMebi = kKibi * 1024, kPage = 8192;

TEST(FileSystemRoom, LeavesAnEighthWithinBounds) {
  EXPECT_EQ((FileSystemRoom{0, 8 * kMebi}.least_free()), kMebi);
  EXPECT_EQ((FileSystemRoom{0, 100 * kKibi}.least_free()), 128 * kKibi);
  EXPECT_EQ((FileSystemRoom{0, kMebi << 20}.least_free()), 4 * kMebi);
}

TEST(FileSystemRoom, GivesTheLogAnEighthOfWhatIsFree) {
  EXPECT_EQ((FileSystemRoom{0, kMebi}.log_pages(kPage)), 16U);
  EXPECT_EQ((FileSystemRoom{64 * kPage * 8, kMebi << 20}.log_pages(kPage)), 64U);
  EXPECT_EQ((FileSystemRoom{kMebi << 20, kMebi << 20}.log_pages(kPage)), 4000U);
}

TEST(FileSystemRoom, IsThatOfTheFolder) {
  const auto here = room_for("no-such-file.db");
  ASSERT_TRUE(here);
  EXPECT_GT(here->total_bytes, 0U);
  EXPECT_LE(here->free_bytes, here->total_bytes);
  EXPECT_FALSE(room_for("no-such-folder/no.db"));
  EXPECT_NE(text_of_room("no-such-file.db").find(" free"), std::string::npos);
}

}  // namespace
}  // namespace kernsweep
