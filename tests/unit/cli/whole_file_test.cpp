#include "cli/show/whole_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using test::file_content;
using test::Folder;
using test::write_file;

// No file may become larger than this, as on a full disk.
struct Full {
  explicit Full(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit less{bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
    std::signal(SIGXFSZ, SIG_IGN);
  }
  ~Full() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  rlimit before{};
};

TEST(WholeFile, ReplacesWhatWasThereAndKeepsItsPermissions) {
  const Folder folder;
  const std::string path = folder.file("r.html");
  write_file(path, "old");
  chmod(path.c_str(), 0640);
  ASSERT_TRUE(write_whole_file(path, "new"));
  EXPECT_EQ(file_content(path), "new");
  struct stat about {};
  stat(path.c_str(), &about);
  EXPECT_EQ(about.st_mode & 0777U, 0640U);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"r.html"});
}

TEST(WholeFile, OnAFullDiskWhatWasThereStaysAndNothingIsLeftOver) {
  const Folder folder;
  const std::string path = folder.file("r.html");
  write_file(path, "old");
  {
    const Full disk(1000);
    EXPECT_FALSE(write_whole_file(path, std::string(5000, 'x')));
    EXPECT_FALSE(write_whole_file(folder.file("other.html"), std::string(5000, 'x')));
  }
  EXPECT_EQ(file_content(path), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"r.html"});
}

TEST(WholeFile, AFolderAndAPlaceThatIsNotThereAreRefused) {
  const Folder folder;
  EXPECT_FALSE(write_whole_file(folder.path(), "x"));
  EXPECT_FALSE(write_whole_file(folder.file("none/r.html"), "x"));
  std::filesystem::create_symlink(folder.file("round"), folder.file("round"));
  EXPECT_FALSE(write_whole_file(folder.file("round"), "x"));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"round"});
}

TEST(WholeFile, APipeAndADeviceAreWrittenToAsTheyAre) {
  const Folder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(write_whole_file(pipe, "x"));
  char got = 0;
  EXPECT_EQ(read(reader, &got, 1), 1);
  EXPECT_EQ(got, 'x');
  close(reader);
  // As /dev/stdout is.
  const std::string link = "/proc/self/fd/" + std::to_string(open("/dev/null", O_WRONLY));
  EXPECT_TRUE(write_whole_file(link, "x"));
  EXPECT_FALSE(write_whole_file("/dev/full", "x"));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"pipe"});
}

TEST(WholeFile, WritesOverNoDatabase) {
  const Folder folder;
  const std::string begin = "SQLite format 3";
  ASSERT_TRUE(write_whole_file(folder.file("new.db"), begin));
  const auto refused = write_whole_file(folder.file("new.db"), "x");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("new.db: is a database"), std::string::npos);
  EXPECT_EQ(file_content(folder.file("new.db")), begin);
}

TEST(WholeFile, WritesWhereALinkPoints) {
  const Folder folder;
  std::filesystem::create_symlink(folder.file("far.html"), folder.file("near.html"));
  ASSERT_TRUE(write_whole_file(folder.file("near.html"), "x"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("near.html")));
  EXPECT_EQ(file_content(folder.file("far.html")), "x");
}

}  // namespace
}  // namespace kernsweep
