// The parts that a golden text omits, for any folder of temporary files.
#include "tests/golden_text/golden_text.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace kernsweep {
namespace {

namespace files = std::filesystem;

// $TMPDIR is a link to a folder of an unusual name, as long as this lives.
class GoldenTextIn : public ::testing::Test {
 protected:
  GoldenTextIn() {
    if (const char* const set = getenv("TMPDIR")) former_ = set;
    std::string pattern = (files::temp_directory_path() / "golden-XXXXXX").string();
    outer_ = mkdtemp(pattern.data());
    files::create_directory(outer_ / "a (b) $c");
    files::create_directory_symlink(outer_ / "a (b) $c", outer_ / "link");
    setenv("TMPDIR", (outer_ / "link").c_str(), 1);
  }
  ~GoldenTextIn() override {
    former_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", former_.c_str(), 1);
    files::remove_all(outer_);
  }

  std::string former_;
  files::path outer_;
};

TEST_F(GoldenTextIn, AnyFolderForTemporaryFilesANameIsLeftOut) {
  EXPECT_THAT("no " + (outer_ / "link/kernsweep-x7.db/file").string() + ": missing", IsGolden());
  EXPECT_THAT("no " + (outer_ / "a (b) $c/kernsweep-x7.db/file").string(), IsGolden());
  EXPECT_THAT("no /tmp/other-1/file", IsGolden());
}

}  // namespace
}  // namespace kernsweep
