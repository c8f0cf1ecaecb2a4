#include "shared/base/digest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>

#include "shared/base/content_hash.hpp"

namespace kernsweep {
namespace {

TEST(Digest, IsBlake2bOf128Bits) {
  // From Python: hashlib.blake2b(b"", digest_size=16).hexdigest(), and of b"abc".
  EXPECT_EQ(digest_of("").hex(), "cae66941d9efbd404e4d88758ea67670");
  EXPECT_EQ(digest_of("abc").hex(), "cf4ab791c62b8d2b2109c90275287816");
}

TEST(Digest, OfPiecesIsThatOfTheWhole) {
  DigestStream pieces;
  pieces.add("a", 1);
  pieces.add("", 0);
  pieces.add("bc", 2);
  EXPECT_EQ(pieces.digest(), digest_of("abc"));
}

TEST(Digest, ReadsBackItsOwnHexAndBytes) {
  const Digest digest = digest_of("some content");
  EXPECT_EQ(digest_from_hex(digest.hex()), digest);
  EXPECT_EQ(digest_from_bytes(digest.view()), digest);
  std::string upper = digest.hex();
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(digest_from_hex(upper), digest);
}

TEST(Digest, RefusesWhatHasAnotherLengthOrDigit) {
  const std::string hex = digest_of("x").hex();
  EXPECT_FALSE(digest_from_hex(""));
  EXPECT_FALSE(digest_from_hex(hex.substr(1)));
  EXPECT_FALSE(digest_from_hex(hex + "0"));
  for (const char bad : {'g', 'G', ' ', '/', ':', '@', '`', '\0'}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{31}}) {
      std::string broken = hex;
      broken[at] = bad;
      EXPECT_FALSE(digest_from_hex(broken)) << broken;
    }
  }
  EXPECT_FALSE(digest_from_bytes(""));
  EXPECT_FALSE(digest_from_bytes(std::string(15, 'x')));
  EXPECT_FALSE(digest_from_bytes(std::string(17, 'x')));
}

TEST(Digest, IsAKeyOfHashedContainers) {
  std::unordered_set<Digest> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(digest_of(std::to_string(i)));
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_TRUE(seen.contains(digest_of("7")));
  EXPECT_FALSE(seen.contains(digest_of("1000")));
}

TEST(ContentHash, IsXxh3Of128BitsInCanonicalOrder) {
  // What `xxhsum -H2` prints for an empty file.
  EXPECT_EQ(content_hash(nullptr, 0).hex(), "99aa06d3014798d86001c324468d497f");
}

// XXH3 treats lengths up to 16, 128 and 240 bytes differently, and longer ones in blocks of 1024.
TEST(ContentHash, OfPiecesIsThatOfTheWhole) {
  for (const std::size_t size : {1u, 16u, 17u, 128u, 129u, 240u, 241u, 1024u, 1025u, 5000u}) {
    std::string content(size, ' ');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 131 + 7);
    const Digest whole = content_hash(content.data(), size);
    for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, size / 2, size - 1, size}) {
      ContentHasher pieces;
      pieces.add(content.data(), cut);
      pieces.add(nullptr, 0);
      pieces.add(content.data() + cut, size - cut);
      EXPECT_EQ(pieces.digest(), whole) << size << " cut at " << cut;
    }
    ContentHasher bytes;
    for (const char& c : content) bytes.add(&c, 1);
    EXPECT_EQ(bytes.digest(), whole) << size;
  }
}

TEST(ContentHash, ChangesWithEveryByteAndWithTheLength) {
  std::string content(300, 'a');
  std::unordered_set<Digest> seen = {content_hash(content.data(), 300), content_hash(content.data(), 299)};
  for (char& c : content) {
    c = 'b';
    seen.insert(content_hash(content.data(), 300));
    c = 'a';
  }
  EXPECT_EQ(seen.size(), 302u);
}

}  // namespace
}  // namespace kernsweep
