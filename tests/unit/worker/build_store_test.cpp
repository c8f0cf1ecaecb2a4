// What was built: entries, their records, and the budget.
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

  // An entry with a file of so many bytes, used so long ago.
  fs::path make(const BuildStore& store, const std::string& name, std::size_t bytes, int hours) {
    const auto entry = store.entry(digest_of(name));
    EXPECT_TRUE(entry);
    std::ofstream(entry->built()) << std::string(bytes, 'x');
    fs::last_write_time(entry->folder(), fs::file_time_type::clock::now() - std::chrono::hours(hours));
    return entry->folder();
  }

  const fs::path folder_;
};

TEST_F(StoreOfBuilds, KeepsARecord) {
  const BuildStore store(folder_);
  const BuildRecord record{1.5,
                           0.25,
                           7,
                           std::string(32, 'a'),
                           "built_from\tx\t./x\t1\tb\nclosed\ty\t-\t-\t-",
                           "a note\nanother"};
  EXPECT_EQ(build_record(text_of(record)), record);
  BuildRecord plain = record;
  plain.notes.clear();
  EXPECT_EQ(build_record(text_of(plain)), plain);
  const auto entry = store.entry(digest_of("a"));
  ASSERT_TRUE(entry);
  EXPECT_FALSE(entry->record());
  ASSERT_TRUE(entry->write(record));
  EXPECT_EQ(entry->record(), record);
  std::ofstream(entry->built()) << "x";
  ASSERT_TRUE(entry->clear());
  EXPECT_FALSE(fs::exists(entry->built()));
  EXPECT_EQ(entry->record(), record);
}

TEST_F(StoreOfBuilds, DoesNotBelieveADamagedRecord) {
  const std::string text =
      text_of(BuildRecord{1, 1, 7, std::string(32, 'a'), "built_from\tx\t./x\t1\tb", ""});
  for (std::size_t cut = 0; cut < text.size(); ++cut)
    EXPECT_FALSE(build_record(text.substr(0, cut))) << cut;
  EXPECT_FALSE(build_record("kernsweep build 1\n1\n1\n1\nzz\n0\nx\n"));
}

TEST_F(StoreOfBuilds, RemovesWhatWasUsedLeastRecently) {
  const BuildStore store(folder_, 250);
  const fs::path old = make(store, "old", 100, 30), older = make(store, "older", 100, 40),
                 now = make(store, "now", 100, 0);
  store.evict();
  EXPECT_TRUE(fs::exists(old) && fs::exists(now));
  EXPECT_FALSE(fs::exists(older));
  const BuildStore small(folder_, 1);
  const auto used = small.entry(digest_of("old"));
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(30));
  small.evict();
  EXPECT_TRUE(fs::exists(old)) << "it is locked";
  EXPECT_TRUE(fs::exists(now)) << "it was used within the last hour";
}

}  // namespace
}  // namespace kernsweep
