// Built files: work folders, the files that are kept by content, and the budget.
#include "worker/builds/build_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

class StoreOfBuilds : public ::testing::Test {
 protected:
  StoreOfBuilds() : folder_(fs::temp_directory_path() / ("kernsweep-builds-" + std::to_string(getpid()))) {}
  ~StoreOfBuilds() override { fs::remove_all(folder_); }

  // What a build of `key` writes: `built`, and a file next to it. Returns the path of what is kept.
  fs::path build(const BuildStore& store, const std::string& key, const std::string& text,
                 const std::string& beside = "") {
    const auto work = store.work(digest_of(key));
    EXPECT_TRUE(work && work->begin());
    std::ofstream(work->built()) << text;
    if (!beside.empty()) std::ofstream(work->out() + "/beside") << beside;
    const auto kept = store.keep(*work);
    EXPECT_TRUE(kept) << kept.error().message;
    return kept.value_or("");
  }
  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static void age(const fs::path& built, int hours) {
    fs::last_write_time(built.parent_path(), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }

  const fs::path folder_;
};

TEST_F(StoreOfBuilds, KeepsEachContentOnce) {
  const BuildStore store(folder_);
  const fs::path one = build(store, "a", "one"), again = build(store, "b", "one"),
                 two = build(store, "a", "two"), other = build(store, "a", "one", "a library");
  EXPECT_EQ(one, again);
  EXPECT_NE(one, two);
  EXPECT_NE(one, other) << "what is beside it may be loaded by it";
  EXPECT_EQ(text_of(one) + text_of(two), "onetwo");
}

TEST_F(StoreOfBuilds, WritesAgainWhatWasDamaged) {
  const BuildStore store(folder_);
  const fs::path one = build(store, "a", "one");
  std::ofstream(one) << "damaged";
  EXPECT_EQ(build(store, "a", "one"), one);
  EXPECT_EQ(text_of(one), "one");
}

TEST_F(StoreOfBuilds, AWorkFolderBeginsEmpty) {
  const BuildStore store(folder_);
  const auto work = store.work(digest_of("a"));
  ASSERT_TRUE(work && work->begin());
  fs::create_directory(work->path() + "/tmp");
  std::ofstream(work->built()) << "old";
  ASSERT_TRUE(work->begin());
  EXPECT_FALSE(fs::exists(work->path() + "/tmp") || fs::exists(work->built()));
}

TEST_F(StoreOfBuilds, RemovesWhatWasUsedLeastRecently) {
  const BuildStore store(folder_, 250);
  const std::string hundred(100, 'x');
  const fs::path old = build(store, "a", "1" + hundred), older = build(store, "a", "2" + hundred),
                 now = build(store, "a", "3" + hundred);
  age(old, 30);
  age(older, 40);
  store.evict();
  EXPECT_TRUE(fs::exists(old) && fs::exists(now));
  EXPECT_FALSE(fs::exists(older));
  const BuildStore small(folder_, 1);
  const auto used = small.work(digest_of("b"));
  fs::last_write_time(used->path(), fs::file_time_type::clock::now() - std::chrono::hours(30));
  small.evict();
  EXPECT_TRUE(fs::exists(used->path())) << "it is locked";
  EXPECT_TRUE(fs::exists(now)) << "it was used within the last hour";
  EXPECT_FALSE(fs::exists(old));
}

}  // namespace
}  // namespace kernsweep
