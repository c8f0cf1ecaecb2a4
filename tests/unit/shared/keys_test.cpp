// Keys, join files and key files: what is written is read again, and everything else is refused with a
// reason.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "shared/keys/join_file.hpp"
#include "shared/keys/key_changes.hpp"
#include "shared/keys/key_file.hpp"
#include "shared/keys/secret_file.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

class KeysOnDisk : public testing::Test {
 protected:
  KeysOnDisk() {
    std::string pattern = testing::TempDir() + "kernsweep-keys-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~KeysOnDisk() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string folder_;
};

JoinFile some_join_file() {
  JoinFile file;
  file.name = "node-7";
  file.role = KeyRole::worker;
  file.endpoints = {"tcp://10.0.0.5:7777", "tcp://[fd00::5]:7777"};
  file.coordinator = make_key_pair().public_key;
  file.own = make_key_pair();
  return file;
}

std::string complaint_about(const std::string& text) {
  const auto read = join_file_of(text, "cluster.join");
  return read ? "" : read.error().message;
}

// `from`, once, becomes `to`.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  KS_ASSERT(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// ZeroMQ RFC 32 gives these eight bytes and their text, "HelloWorld"; four of them make 32.
TEST(Z85, WritesWhatTheRfcWrites) {
  constexpr std::uint8_t kHello[] = {0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B};
  CurveKey key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = kHello[i % 8];
  const std::string text = "HelloWorldHelloWorldHelloWorldHelloWorld";
  EXPECT_EQ(z85_of(key), text);
  EXPECT_EQ(key_from_z85(text), key);
}

TEST(Z85, TakesTheSmallestAndTheLargestAndNothingAbove) {
  CurveKey largest{};
  largest.fill(0xFF);
  EXPECT_EQ(key_from_z85(z85_of(largest)), largest);
  EXPECT_EQ(key_from_z85(std::string(40, '0')), CurveKey{});
  // 2^32 - 1 is "%nSc0", so "%nSc1" encodes no four bytes.
  EXPECT_EQ(z85_of(largest).substr(0, 5), "%nSc0");
  EXPECT_FALSE(key_from_z85("%nSc1" + std::string(35, '0')));
  EXPECT_FALSE(key_from_z85(std::string(40, '#')));
}

TEST(Z85, RefusesOtherLengthsAndCharacters) {
  const std::string good = z85_of(make_key_pair().public_key);
  EXPECT_FALSE(key_from_z85(""));
  EXPECT_FALSE(key_from_z85(good.substr(1)));
  EXPECT_FALSE(key_from_z85(good + "0"));
  for (const char bad : {' ', '"', '\\', ',', '\0', '~', '\xE4'}) {
    std::string text = good;
    text[20] = bad;
    EXPECT_FALSE(key_from_z85(text)) << bad;
  }
}

TEST(KeyPairs, AreFreshAndBelongTogether) {
  const KeyPair one = make_key_pair();
  const KeyPair other = make_key_pair();
  EXPECT_NE(one.secret_key, other.secret_key);
  EXPECT_EQ(public_of(one.secret_key), one.public_key);
  EXPECT_NE(public_of(other.secret_key), one.public_key);
}

TEST_F(KeysOnDisk, JoinFileThatWasWrittenIsReadAgain) {
  const JoinFile file = some_join_file();
  ASSERT_TRUE(write_join_file(path("a.join"), file));
  const auto read = read_join_file(path("a.join"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, file.name);
  EXPECT_EQ(read->role, file.role);
  EXPECT_EQ(read->endpoints, file.endpoints);
  EXPECT_EQ(read->coordinator, file.coordinator);
  EXPECT_EQ(read->own.public_key, file.own.public_key);
  EXPECT_EQ(read->own.secret_key, file.own.secret_key);
}

TEST_F(KeysOnDisk, SecretFileIsItsOwnersAloneWhateverTheUmaskAndLeavesNothingBeside) {
  for (const mode_t mask : {mode_t{0}, mode_t{0777}}) {
    const mode_t before = umask(mask);
    const Status written = write_secret_file(path("secret"), "text");
    umask(before);
    ASSERT_TRUE(written) << written.error().message;
    struct stat about {};
    ASSERT_EQ(stat(path("secret").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0600U);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(KeysOnDisk, SecretFileReplacesALinkAndNotWhatItPointsTo) {
  std::ofstream(path("elsewhere")) << "untouched";
  std::filesystem::create_symlink(path("elsewhere"), path("secret"));
  ASSERT_TRUE(write_secret_file(path("secret"), "text"));
  EXPECT_FALSE(std::filesystem::is_symlink(path("secret")));
  std::string first;
  std::ifstream(path("elsewhere")) >> first;
  EXPECT_EQ(first, "untouched");
}

TEST_F(KeysOnDisk, FileThatIsMissingIsSaid) {
  const auto read = read_join_file(path("none.join"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, testing::HasSubstr(path("none.join")));
  EXPECT_THAT(read.error().message, IsGolden());
}

TEST_F(KeysOnDisk, FileThatOthersMayReadIsRefusedWithWhatToDo) {
  for (const mode_t mode : {0640U, 0604U, 0660U, 0777U}) {
    ASSERT_TRUE(write_join_file(path("a.join"), some_join_file()));
    ASSERT_EQ(chmod(path("a.join").c_str(), mode), 0);
    const auto read = read_join_file(path("a.join"));
    ASSERT_FALSE(read) << mode;
    EXPECT_THAT(read.error().message, IsGolden());
  }
  ASSERT_EQ(chmod(path("a.join").c_str(), 0400), 0);
  EXPECT_TRUE(read_join_file(path("a.join")));
}

TEST_F(KeysOnDisk, KeyFileThatOthersMayReadIsRefusedToo) {
  KeyFile file;
  file.secret = make_key_pair().secret_key;
  file.endpoints = {"tcp://10.0.0.5:7777"};
  ASSERT_TRUE(write_key_file(path("a.keys"), file));
  ASSERT_TRUE(read_key_file(path("a.keys")));
  ASSERT_EQ(chmod(path("a.keys").c_str(), 0640), 0);
  const auto read = read_key_file(path("a.keys"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, IsGolden());
}

TEST_F(KeysOnDisk, FileOfAnotherKindHoldsNoSecret) {
  std::ofstream(path("a.db")) << "SQLite format 3";
  ASSERT_EQ(chmod(path("a.db").c_str(), 0644), 0);
  const auto read = read_join_file(path("a.db"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, IsGolden());
}

TEST_F(KeysOnDisk, FolderAndPipeAreNoFiles) {
  std::filesystem::create_directory(path("folder"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const char* name : {"folder", "pipe"}) {
    const auto read = read_join_file(path(name));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, IsGolden());
  }
}

TEST_F(KeysOnDisk, FileThatIsTooLargeIsNotReadToItsEnd) {
  ASSERT_TRUE(write_secret_file(path("a.join"), std::string((std::size_t{1} << 20) + 1, ' ')));
  const auto read = read_join_file(path("a.join"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, IsGolden());
}

TEST(JoinFileText, EveryBeginningOfOneIsRefused) {
  const std::string text = text_of(some_join_file());
  ASSERT_EQ(complaint_about(text), "");
  const std::string complaint = complaint_about("");
  EXPECT_THAT(complaint, IsGolden());
  for (std::size_t size = 1; size + 2 < text.size(); ++size)  // without its newline it is whole
    EXPECT_EQ(complaint_about(text.substr(0, size)), complaint) << size;
}

TEST(JoinFileText, SaysWhichMemberIsWrong) {
  const JoinFile file = some_join_file();
  const std::string text = text_of(file);
  const std::string secret = z85_of(file.own.secret_key);
  EXPECT_THAT(complaint_about(changed(text, secret, secret.substr(1))), IsGolden());
  EXPECT_THAT(complaint_about(changed(text, secret, secret.substr(1))), IsGolden());
  EXPECT_THAT(complaint_about(changed(text, z85_of(file.coordinator), "")), IsGolden());
  EXPECT_THAT(complaint_about(changed(text, secret, z85_of(make_key_pair().secret_key))), IsGolden());
  EXPECT_THAT(complaint_about(changed(text, "\"worker\"", "\"king\"")), IsGolden());
  EXPECT_THAT(complaint_about(changed(text, "\"node-7\"", "\"../node\"")), IsGolden());
  EXPECT_THAT(complaint_about(changed(text, "\"name\"", "\"nome\"")), IsGolden());
  EXPECT_THAT(complaint_about(changed(text, "\"join\"", "\"keys\"")), IsGolden());
  EXPECT_THAT(complaint_about(changed(text, "\"format\": 1", "\"format\": 2")), IsGolden());
  JoinFile nowhere = file;
  nowhere.endpoints.clear();
  EXPECT_THAT(complaint_about(text_of(nowhere)), IsGolden());
  for (const char* other : {"", "[]", "null", "7", "\"join\"", "{}", "sweep: 1\nname: x\n", "\xFF\xFE"})
    EXPECT_NE(complaint_about(other), "") << other;
}

TEST(JoinFileText, MembersOfANewerVersionAreIgnored) {
  const std::string text = text_of(some_join_file());
  EXPECT_EQ(complaint_about(changed(text, "{", "{\"hint\": [1, {\"a\": null}],")), "");
}

// Whatever happens to the bytes: an answer, no crash, and no key that is not one.
TEST(JoinFileText, SurvivesAnyMutation) {
  std::mt19937 random(7);
  const std::string text = text_of(some_join_file());
  const std::string pieces = "{}[]\",:\\0\x01\x7F\xC3\xA4 e1.-";
  for (int round = 0; round < 20'000; ++round) {
    std::string mutated = text;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0 && !mutated.empty(); --edits) {
      const std::size_t at = random() % mutated.size();
      switch (random() % 4) {
        case 0:
          mutated[at] = static_cast<char>(random());
          break;
        case 1:
          mutated.erase(at, 1 + random() % 8);
          break;
        case 2:
          mutated.insert(at, 1, pieces[random() % pieces.size()]);
          break;
        default:
          mutated.insert(at, mutated.substr(random() % mutated.size(), random() % 64));
      }
    }
    const auto read = join_file_of(mutated, "m");
    if (!read) {
      EXPECT_FALSE(read.error().message.empty());
      continue;
    }
    EXPECT_EQ(public_of(read->own.secret_key), read->own.public_key);
    EXPECT_FALSE(read->endpoints.empty());
    EXPECT_TRUE(is_key_name(read->name));
    (void)key_file_of(mutated, "m");
  }
}

TEST(KeyNames, AreFitForFileNames) {
  for (const char* good : {"worker", "node-7", "n1.rack_2", "7"}) EXPECT_TRUE(is_key_name(good)) << good;
  for (const char* bad : {"", ".", "..", ".hidden", "-x", "a/b", "a b", "a\n", "\xC3\xA4"})
    EXPECT_FALSE(is_key_name(bad)) << bad;
  EXPECT_TRUE(is_key_name(std::string(64, 'a')));
  EXPECT_FALSE(is_key_name(std::string(65, 'a')));
}

TEST(Times, AreWrittenAndReadInUtc) {
  EXPECT_EQ(time_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(time_from_text("1970-01-02T00:00:01Z"), 86'401);
  for (const char* bad :
       {"", "1970-01-01", "1970-01-01T00:00:00", "1970-13-01T00:00:00Z", "1969-12-31T23:59:59Z", "x"})
    EXPECT_FALSE(time_from_text(bad)) << bad;
}

TEST_F(KeysOnDisk, KeyFileThatWasWrittenIsReadAgain) {
  KeyFile file;
  file.secret = make_key_pair().secret_key;
  file.former = FormerSecret{make_key_pair().secret_key, 2'000'000'000};
  file.endpoints = {"tcp://10.0.0.5:7777"};
  ASSERT_TRUE(add_key(file, "node-1", KeyRole::worker, 100));
  ASSERT_TRUE(add_key(file, "desk", KeyRole::client, 200));
  ASSERT_TRUE(revoke_key(file, "node-1", 300));
  ASSERT_TRUE(write_key_file(path("a.keys"), file));
  const auto read = read_key_file(path("a.keys"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(text_of(*read), text_of(file));
  EXPECT_EQ(read->secret, file.secret);
  ASSERT_TRUE(read->former);
  EXPECT_EQ(read->former->until, 2'000'000'000);
  ASSERT_EQ(read->keys.size(), 2U);
  EXPECT_FALSE(read->keys[0].accepted(300));
  EXPECT_TRUE(read->keys[0].accepted(299));
  EXPECT_EQ(read->keys[1].role, KeyRole::client);
}

TEST(KeyChanges, NameIsGivenOnceAndAgainAfterItWasRevoked) {
  KeyFile file;
  ASSERT_TRUE(add_key(file, "node", KeyRole::worker, 10));
  const auto twice = add_key(file, "node", KeyRole::worker, 11);
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, IsGolden());
  ASSERT_TRUE(revoke_key(file, "node", 12));
  EXPECT_FALSE(revoke_key(file, "node", 13));
  EXPECT_TRUE(add_key(file, "node", KeyRole::worker, 14));
  EXPECT_FALSE(add_key(file, "a/b", KeyRole::worker, 15));
}

TEST(KeyChanges, RotatedKeyAndItsSuccessorAreBothGoodDuringTheOverlap) {
  KeyFile file;
  const auto first = add_key(file, "node", KeyRole::client, 10);
  const auto second = rotate_key(file, "node", 20, 30);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->own.public_key, second->own.public_key);
  EXPECT_EQ(second->role, KeyRole::client);
  ASSERT_EQ(file.keys.size(), 2U);
  EXPECT_TRUE(file.keys[0].accepted(29));
  EXPECT_FALSE(file.keys[0].accepted(30));
  EXPECT_TRUE(file.keys[1].accepted(30));
  EXPECT_FALSE(rotate_key(file, "other", 20, 30));
  // Revoking in the overlap takes both.
  ASSERT_TRUE(revoke_key(file, "node", 25));
  EXPECT_FALSE(file.keys[0].accepted(25));
  EXPECT_FALSE(file.keys[1].accepted(25));
}

TEST(KeyChanges, FormerSecretIsKeptOnlyForAnOverlap) {
  KeyFile file;
  file.secret = make_key_pair().secret_key;
  const CurveKey before = file.secret;
  rotate_coordinator(file, 100, 200);
  ASSERT_TRUE(file.former);
  EXPECT_EQ(file.former->secret, before);
  EXPECT_NE(file.secret, before);
  rotate_coordinator(file, 100, 100);
  EXPECT_FALSE(file.former);
}

TEST(KeyChanges, FilesLieBesideEachOther) {
  EXPECT_EQ(key_path_of("out/cluster.join"), "out/cluster.keys");
  EXPECT_EQ(key_path_of("cluster"), "cluster.keys");
  EXPECT_EQ(join_path_of("out/cluster.keys", "worker"), "out/cluster.join");
  EXPECT_EQ(join_path_of("out/cluster.keys", "client"), "out/cluster.client.join");
  EXPECT_EQ(join_path_of("out/cluster.keys", "node-7"), "out/cluster.node-7.join");
}

}  // namespace
}  // namespace kernsweep
