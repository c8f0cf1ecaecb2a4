#include "results/sqlite/file_system.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace kernsweep {
namespace {

constexpr std::uint64_t kKibi = 1024, kMebi = kKibi * 1024, kPageSize = 8192;

TEST(FileSystemRoom, LeavesAnEighthWithinBounds) {
  EXPECT_EQ((FileSystemRoom{0, 8 * kMebi}.least_free()), kMebi);
  EXPECT_EQ((FileSystemRoom{0, 100 * kKibi}.least_free()), 128 * kKibi);
  EXPECT_EQ((FileSystemRoom{0, kMebi << 20}.least_free()), 4 * kMebi);
}

TEST(FileSystemRoom, GivesTheLogAnEighthOfWhatIsFree) {
  EXPECT_EQ((FileSystemRoom{0, kMebi}.log_pages(kPageSize)), 16U);
  EXPECT_EQ((FileSystemRoom{64 * kPageSize * 8, kMebi << 20}.log_pages(kPageSize)), 64U);
  EXPECT_EQ((FileSystemRoom{kMebi << 20, kMebi << 20}.log_pages(kPageSize)), 4000U);
}

TEST(FileSystemRoom, IsThatOfTheFolder) {
  const auto here = room_for("no-such-file.db");
  ASSERT_TRUE(here);
  EXPECT_GT(here->total_bytes, 0U);
  EXPECT_LE(here->free_bytes, here->total_bytes);
  EXPECT_FALSE(room_for("no-such-folder/no.db"));
  EXPECT_NE(text_of_room("no-such-file.db").find(" free"), std::string::npos);
}

class Paths : public testing::Test {
 protected:
  Paths()
      : folder_(std::filesystem::temp_directory_path() / ("kernsweep-paths-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Paths() override { std::filesystem::remove_all(folder_); }

  void link(const char* name, const char* to) { std::filesystem::create_symlink(to, folder_ / name); }
  // Without the name of the folder.
  std::string flaw(const char* name, bool must_be_there = false) {
    std::string text = flaw_of_path((folder_ / name).string(), must_be_there);
    for (auto at = text.find(folder_.string()); at != std::string::npos; at = text.find(folder_.string()))
      text.replace(at, folder_.string().size() + 1, "");
    return text;
  }

  const std::filesystem::path folder_;
};

TEST_F(Paths, ThatLeadNowhereSayWhere) {
  std::ofstream(folder_ / "file.db") << "x";
  link("good.db", "file.db");
  link("new.db", "not_yet.db");
  for (const char* name : {"file.db", "good.db", "new.db", "none.db", "none/x.db"})
    EXPECT_EQ(flaw(name), "");
  EXPECT_EQ(flaw("file.db", true), "");
  EXPECT_NE(flaw("new.db", true).find("new.db -> not_yet.db; change the link, or make not_yet.db"),
            std::string::npos);
  link("a.db", "b.db");
  link("b.db", "a.db");
  EXPECT_NE(flaw("a.db").find("in a circle: a.db -> b.db -> a.db;"), std::string::npos);
  link("self", "self");
  EXPECT_NE(flaw("self/x.db").find("in a circle: self -> self;"), std::string::npos);
  link("dangling.db", "gone/x.db");
  EXPECT_NE(flaw("dangling.db").find("dangling.db -> gone/x.db; change the link, or make gone"),
            std::string::npos);
  link("folder", "gone");
  EXPECT_NE(flaw("folder/x.db").find("folder -> gone; change the link, or make gone"), std::string::npos);
  EXPECT_NE(flaw("file.db/x.db").find("file.db is not a folder"), std::string::npos);
  EXPECT_NE(flaw(std::string(300, 'n').c_str()).find("too long"), std::string::npos);
}

TEST_F(Paths, RoomIsThatOfTheFileToWhichALinkLeads) {
  link("elsewhere.db", "/proc/no.db");  // a file system without a size
  EXPECT_FALSE(room_for((folder_ / "elsewhere.db").string()));
  EXPECT_TRUE(room_for((folder_ / "here.db").string()));
}

}  // namespace
}  // namespace kernsweep
