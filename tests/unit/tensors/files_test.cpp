#include "tensors/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "shared/base/content_hash.hpp"
#include "tensors/arena.hpp"
#include "tensors/file_layout.hpp"
#include "tensors/mapping.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/tensors/made_files.hpp"

namespace kernsweep {
namespace {

using testing::StartsWith;
using testing_tensors::bytes_of;
using testing_tensors::npy;
using testing_tensors::safetensors;

constexpr std::string_view kU8x4 = "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }\n";

std::string npy_error(const std::string& file) {
  const auto layout = layout_of(TensorFormat::npy, bytes_of(file), file.size());
  return layout ? "" : layout.error().message;
}

TEST(NpyTest, AllThreeVersionsAreRead) {
  for (const int major : {1, 2, 3}) {
    const std::string file = npy(kU8x4, "1234", major);
    const auto layout = layout_of(TensorFormat::npy, bytes_of(file), file.size());
    ASSERT_TRUE(layout) << layout.error().message;
    ASSERT_EQ(layout->size(), 1u);
    EXPECT_EQ(layout->at(0).shape, std::vector<std::int64_t>{4});
    EXPECT_EQ(layout->at(0).offset, file.size() - 4);
    EXPECT_EQ(layout->at(0).bytes, 4u);
  }
  EXPECT_THAT(npy_error(npy(kU8x4, "1234", 4)), IsGolden());
}

TEST(NpyTest, EveryElementTypeOfOursIsKnown) {
  const std::pair<const char*, Dtype> types[] = {
      {"<f8", Dtype::f64}, {"<f4", Dtype::f32}, {"<f2", Dtype::f16}, {"|i1", Dtype::s8},
      {"|u1", Dtype::u8},  {"<i4", Dtype::s32}, {"<i8", Dtype::s64}};
  for (const auto& [descr, dtype] : types) {
    const std::string file =
        npy("{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (), }",
            std::string(8, 'x'));
    const auto layout = layout_of(TensorFormat::npy, bytes_of(file), file.size());
    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->at(0).dtype, dtype);
    EXPECT_EQ(layout->at(0).bytes, size_of(dtype));
  }
}

TEST(NpyTest, FortranOrderIsRefusedUnlessItMakesNoDifference) {
  EXPECT_THAT(npy_error(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2), }", "1234")),
              IsGolden());
  EXPECT_EQ(npy_error(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (4,), }", "1234")), "");
}

TEST(NpyTest, CutFilesAreErrors) {
  for (const int major : {1, 2}) {
    const std::string whole = npy(kU8x4, "1234", major);
    ASSERT_EQ(npy_error(whole), "");
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_NE(npy_error(whole.substr(0, size)), "") << size;
  }
}

TEST(NpyTest, HostileHeadersAreErrorsThatSayWhy) {
  for (const char* header : {"", "{}", "{'descr': '<f4', 'fortran_order': False}",
                             "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
                             "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1", "{'descr': '<f4",
                             "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                             "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '|V2', 'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '|V1', 'fortran_order': False, 'shape': (1,)}"})
    EXPECT_THAT(header + std::string(": ") + npy_error(npy(header, "1234")), IsGolden());
  EXPECT_THAT(npy_error("not a npy file at all"), IsGolden());
}

class TensorFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "tensor_files_" + std::to_string(getpid()) + "/";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& content) {
    std::ofstream(folder_ + name, std::ios::binary) << content;
    return folder_ + name;
  }
  TensorSpec spec_of(const std::string& path, const std::string& name, Dtype dtype,
                     std::vector<std::int64_t> shape) {
    TensorSpec spec;
    spec.dtype = dtype;
    spec.shape = std::move(shape);
    spec.file = TensorFile{path, name, std::nullopt};
    return spec;
  }
  std::string folder_;
};

TEST_F(TensorFilesTest, TheArenaServesTheBytesOfAFile) {
  const std::string path = put("x.npy", npy(kU8x4, "abcd"));
  TensorArena arena(1 << 20, 1);
  const auto placed = arena.obtain(spec_of(path, "", Dtype::u8, {4}));
  ASSERT_TRUE(placed) << placed.error().message;
  const auto mapping = TensorMapping::open(placed->path, 4);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(std::memcmp(mapping->bytes().data(), "abcd", 4), 0);
  EXPECT_EQ(placed->content_hash, content_hash("abcd", 4));
}

TEST_F(TensorFilesTest, ATensorAcrossPiecesOfReadingArrivesWhole) {
  // Files are read in pieces of 1 MiB: this one lies across three, with something before and after it.
  std::string data(3'000'000, '\0');
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 2654435761u >> 24);
  const std::string json = R"({"before":{"dtype":"U8","shape":[1000],"data_offsets":[0,1000]},)"
                           R"("it":{"dtype":"U8","shape":[2900000],"data_offsets":[1000,2901000]}})";
  const std::string path = put("x.safetensors", safetensors(json, data));
  TensorSpec spec = spec_of(path, "it", Dtype::u8, {2'900'000});
  spec.file->content_hash = *FileHashes().hash_of(path);
  const std::string content = safetensors(json, data);
  EXPECT_EQ(*spec.file->content_hash, content_hash(content.data(), content.size()));
  std::vector<std::byte> out(2'900'000);
  const Status read = read_tensor(spec, out);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::memcmp(out.data(), data.data() + 1000, out.size()), 0);
}

TEST_F(TensorFilesTest, AChangedFileIsAnotherTensor) {
  const std::string path = put("x.npy", npy(kU8x4, "abcd"));
  TensorArena arena(1 << 20, 1);
  const TensorSpec spec = spec_of(path, "", Dtype::u8, {4});
  const auto before = arena.obtain(spec);
  // Another inode: a file rewritten within one tick of the clock could keep its times.
  std::filesystem::rename(put("y.npy", npy(kU8x4, "abce")), path);
  const auto after = arena.obtain(spec);
  ASSERT_TRUE(before && after);
  EXPECT_NE(before->identity, after->identity);
  EXPECT_NE(before->content_hash, after->content_hash);
}

// In place, probably within one tick of the clock: path, size and times may all be equal.
TEST_F(TensorFilesTest, AFileRewrittenInPlaceIsAnotherTensor) {
  TensorArena arena(1 << 20, 1);
  const TensorSpec spec = spec_of(folder_ + "x.npy", "", Dtype::u8, {4});
  std::set<Digest> identities;
  for (const char last : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}) {
    const std::string data = std::string("abc") + last;
    put("x.npy", npy(kU8x4, data));
    const auto placed = arena.obtain(spec);
    ASSERT_TRUE(placed) << placed.error().message;
    EXPECT_EQ(placed->content_hash, content_hash(data.data(), 4));
    identities.insert(placed->identity);
  }
  EXPECT_EQ(identities.size(), 8u);
}

TEST_F(TensorFilesTest, ACopyIsOfTheTensorThatWasReadAndNotOfTheFileAsItIsNow) {
  const std::string path = put("x.npy", npy(kU8x4, "abcd"));
  TensorArena arena(1 << 20, 1);
  const auto placed = arena.obtain(spec_of(path, "", Dtype::u8, {4}));
  ASSERT_TRUE(placed) << placed.error().message;
  std::filesystem::rename(put("y.npy", npy(kU8x4, "abce")), path);
  const auto copy = arena.obtain_copy(*placed, 1);
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->identity, placed->identity);
  const auto mapping = TensorMapping::open(copy->path, 4);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(std::memcmp(mapping->bytes().data(), "abcd", 4), 0);
}

TEST_F(TensorFilesTest, AFileThatIsNotTheOneDescribedIsRefused) {
  const std::string path = put("x.npy", npy(kU8x4, "abcd"));
  TensorSpec spec = spec_of(path, "", Dtype::u8, {4});
  spec.file->content_hash = Digest{};
  std::vector<std::byte> out(4);
  EXPECT_THAT(read_tensor(spec, out).error().message, IsGolden());
}

TEST_F(TensorFilesTest, ExtentsOfOneInFrontAreNoDifference) {
  TensorArena arena(1 << 20, 1);
  const auto fits = [&](const std::string& shape, std::vector<std::int64_t> asked) {
    const std::string path =
        put("x.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }", "abcd"));
    const auto placed = arena.obtain(spec_of(path, "", Dtype::u8, std::move(asked)));
    return placed && placed->content_hash == content_hash("abcd", 4);
  };
  EXPECT_TRUE(fits("(2, 2)", {1, 2, 2}));
  EXPECT_TRUE(fits("(2, 2)", {1, 1, 2, 2}));
  EXPECT_TRUE(fits("(1, 2, 2)", {2, 2}));
  EXPECT_TRUE(fits("(1, 1, 4)", {1, 4}));
  EXPECT_FALSE(fits("(2, 2)", {2, 2, 1})) << "behind they stand for something";
  EXPECT_FALSE(fits("(2, 2)", {2, 1, 2}));
  EXPECT_FALSE(fits("(2, 2)", {4}));
  EXPECT_FALSE(fits("(4,)", {2, 2}));
}

TEST_F(TensorFilesTest, EveryErrorNamesTheFileAndTheReason) {
  const std::string json = R"({"w":{"dtype":"F8_E8M0","shape":[4],"data_offsets":[0,4]}})";
  const std::string weights = put("w.safetensors", safetensors(json, "1234"));
  const std::string array = put("x.npy", npy(kU8x4, "abcd"));
  const std::string broken = put("b.npy", "nonsense");
  const std::string other = put("x.bin", "nonsense");
  const std::string pipe = folder_ + "pipe.npy";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  TensorArena arena(1 << 20, 1);
  const auto expect = [&](const TensorSpec& spec) {
    const auto placed = arena.obtain(spec);
    ASSERT_FALSE(placed);
    EXPECT_THAT(placed.error().message,
                testing::AllOf(StartsWith("input file " + spec.file->path + ": "), IsGolden()));
  };
  expect(spec_of(folder_ + "none.npy", "", Dtype::u8, {4}));
  expect(spec_of(weights, "v", Dtype::u8, {4}));
  expect(spec_of(weights, "w", Dtype::u8, {4}));
  expect(spec_of(array, "", Dtype::s8, {4}));
  expect(spec_of(array, "", Dtype::u8, {2, 2}));
  expect(spec_of(broken, "", Dtype::u8, {4}));
  expect(spec_of(pipe, "", Dtype::u8, {4}));
  expect(spec_of(other, "", Dtype::u8, {4}));
  EXPECT_EQ(arena.tensors_held(), 0u);
}

}  // namespace
}  // namespace kernsweep
