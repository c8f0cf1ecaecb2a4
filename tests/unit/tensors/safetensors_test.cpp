#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tensors/file_layout.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/tensors/made_files.hpp"

namespace kernsweep {
namespace {

using testing_tensors::bytes_of;
using testing_tensors::little_endian;
using testing_tensors::safetensors;

Result<std::vector<TensorInFile>> layout_in(const std::string& file) {
  return layout_of(TensorFormat::safetensors, bytes_of(file), file.size());
}

std::string error_in(const std::string& file) {
  const auto layout = layout_in(file);
  return layout ? "" : layout.error().message;
}

TEST(SafetensorsTest, TensorsAreFoundWhereTheHeaderSays) {
  const std::string json =
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"BF16","shape":[1,3],"data_offsets":[8,14]}})";
  const auto layout = layout_in(safetensors(json, std::string(14, 'x')));
  ASSERT_TRUE(layout) << layout.error().message;
  ASSERT_EQ(layout->size(), 2u);
  EXPECT_EQ((*layout)[0].name, "a");
  EXPECT_EQ((*layout)[0].dtype, Dtype::f32);
  EXPECT_EQ((*layout)[0].offset, 8 + json.size());
  EXPECT_EQ((*layout)[1].shape, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ((*layout)[1].offset, 16 + json.size());
  EXPECT_EQ((*layout)[1].bytes, 6u);
}

TEST(SafetensorsTest, EveryElementTypeOfOursIsKnown) {
  const std::pair<const char*, Dtype> types[] = {
      {"F64", Dtype::f64},        {"F32", Dtype::f32},       {"BF16", Dtype::bf16}, {"F16", Dtype::f16},
      {"I8", Dtype::s8},          {"U8", Dtype::u8},         {"I32", Dtype::s32},   {"I64", Dtype::s64},
      {"F8_E4M3", Dtype::f8e4m3}, {"F8_E5M2", Dtype::f8e5m2}};
  for (const auto& [name, dtype] : types) {
    const std::string size = std::to_string(size_of(dtype));
    const std::string json =
        R"({"t":{"dtype":")" + std::string(name) + R"(","shape":[],"data_offsets":[0,)" + size + "]}}";
    const auto layout = layout_in(safetensors(json, std::string(8, 'x')));
    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->at(0).dtype, dtype);
  }
}

TEST(SafetensorsTest, AForeignElementTypeSpoilsNotTheOthers) {
  const auto layout = layout_in(safetensors(R"({"a":{"dtype":"F8_E8M0","shape":[2],"data_offsets":[0,2]},)"
                                            R"("b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
                                            "xyz"));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->at(0).dtype, std::nullopt);
  EXPECT_EQ(layout->at(0).dtype_text, "F8_E8M0");
  EXPECT_EQ(layout->at(1).dtype, Dtype::u8);
}

TEST(SafetensorsTest, CutFilesAreErrors) {
  const std::string whole = safetensors(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "1234");
  ASSERT_EQ(error_in(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(error_in(whole.substr(0, size)), "") << size;
}

TEST(SafetensorsTest, AbsurdHeaderLengthsAreErrors) {
  EXPECT_THAT(error_in(little_endian(~0ull, 8) + "{}"), IsGolden());
  EXPECT_THAT(error_in(little_endian(kHeaderBytesMax + 1, 8) + "{}"), IsGolden());
  EXPECT_THAT(error_in(little_endian(3, 8) + "{}"), IsGolden());
  EXPECT_NE(error_in(little_endian(0, 8)), "");
}

constexpr const char* kTwice = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                               R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})";
constexpr const char* kOverlapping = R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                                     R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})";

TEST(SafetensorsTest, HostileHeadersAreErrorsThatSayWhy) {
  const std::regex words_of_the_library("not valid JSON: .*");
  for (const char* json : {"[]",
                           "{",
                           "{\"a\xff\":1}",
                           R"({"a":1})",
                           R"({"a":{}})",
                           R"({"a":{"dtype":"U8","shape":[4]}})",
                           R"({"a":{"dtype":7,"shape":[4],"data_offsets":[0,4]}})",
                           R"({"a":{"dtype":"U8","shape":4,"data_offsets":[0,4]}})",
                           R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4,5]}})",
                           R"({"a":{"dtype":"U8","shape":[-4],"data_offsets":[0,4]}})",
                           R"({"a":{"dtype":"U8","shape":[4.0],"data_offsets":[0,4]}})",
                           R"({"a":{"dtype":"U8","shape":["4"],"data_offsets":[0,4]}})",
                           R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}})",
                           R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})",
                           R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,18446744073709551615]}})",
                           R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,99999999999999999999]}})",
                           R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,4]}})",
                           R"({"a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,4]}})",
                           R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})",
                           R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})",
                           R"({"a":{"dtype":"U8","shape":[[[1]]],"data_offsets":[0,1]}})",
                           kTwice,
                           kOverlapping})
    EXPECT_THAT(std::regex_replace(error_in(safetensors(json, "1234")), words_of_the_library,
                                   "not valid JSON: <why>"),
                IsGolden())
        << json;
}

TEST(SafetensorsTest, DeepNestingIsStoppedEarly) {
  EXPECT_THAT(error_in(safetensors(std::string(1 << 20, '['), "")), IsGolden());
}

TEST(SafetensorsTest, TensorsWithoutElementsMayShareAPlace) {
  EXPECT_EQ(error_in(safetensors(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
                                 R"("b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
                                 "1234")),
            "");
}

}  // namespace
}  // namespace kernsweep
