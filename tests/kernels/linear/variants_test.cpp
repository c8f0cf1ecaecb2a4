// Every variant of linear layers against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/linear/linear_points.hpp"

namespace kernsweep::testing {
namespace {

struct LayerShape {
  const char* what;
  int m, n, k;
};

// Around the rows (6, 4, 2), columns (64, 16) and groups (4, 2) of a tile, the blocks of 96 rows and 2048
// of k, vectors of 16; primes, ones, nothing.
constexpr LayerShape kLayerShapes[] = {
    {"one", 1, 1, 1},           {"one row", 1, 100, 300},    {"primes", 7, 67, 131},
    {"tiles", 6, 64, 64},       {"a row more", 13, 65, 129}, {"narrow", 33, 3, 70},
    {"two blocks", 98, 17, 77}, {"deep", 5, 19, 4099},       {"short sums", 20, 80, 3},
    {"no rows", 0, 5, 7},       {"no columns", 5, 0, 7},
};

Settings shaped(const LayerShape& shape, const Settings& more) {
  Settings out = linear_of(shape.m, shape.n, shape.k);
  out.insert(more.begin(), more.end());
  return out;
}

struct LayerWay {
  const char* name;
  const char* variant;
  Settings set;

  friend void PrintTo(const LayerWay& way, std::ostream* out) { *out << way.name; }
};

class LinearEveryShape : public ::testing::TestWithParam<LayerWay> {};

TEST_P(LinearEveryShape, AgreesWithTheReferenceOnOneAndTwoThreads) {
  std::string why;
  if (can_run(linear(), GetParam().variant, shaped(kLayerShapes[1], GetParam().set), why) == KS_UNSUPPORTED)
    GTEST_SKIP() << why;
  for (const LayerShape& shape : kLayerShapes)
    for (const char* epilogue : {"none", "bias", "bias_relu", "bias_gelu", "relu", "gelu"})
      for (const int threads : {1, 2})
        EXPECT_EQ(mismatch_with_reference(linear(), GetParam().variant,
                                          with(shaped(shape, GetParam().set), {{"epilogue", epilogue}}),
                                          {.threads = threads, .runs = 3, .overwritten = true}),
                  "")
            << shape.what << " " << epilogue << " threads " << threads;
}

Settings s8_with(std::initializer_list<std::pair<const char*, Literal>> more) {
  return with(settings({{"dtype", "s8"}}), more);
}

std::string name_of_layer_way(const ::testing::TestParamInfo<LayerWay>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    All, LinearEveryShape,
    ::testing::Values(
        LayerWay{"blas", "blas", {}}, LayerWay{"blocked", "blocked", {}}, LayerWay{"onednn", "onednn", {}},
        LayerWay{"onednn_plain_pass", "onednn", settings({{"weights", "plain"}, {"epilogue_by", "pass"}})},
        LayerWay{"onednn_bf16", "onednn", settings({{"dtype", "bf16"}})},
        LayerWay{"onednn_bf16_pass", "onednn", settings({{"dtype", "bf16"}, {"epilogue_by", "pass"}})},
        LayerWay{"onednn_s8", "onednn", s8_with({})},
        LayerWay{"onednn_s8_plain", "onednn", s8_with({{"weights", "plain"}, {"weight_scales", "tensor"}})},
        LayerWay{"onednn_s8_pass", "onednn", s8_with({{"epilogue_by", "pass"}})},
        LayerWay{"onednn_static", "onednn", s8_with({{"scales", "static"}})},
        LayerWay{"onednn_u8", "onednn", s8_with({{"activations", "u8"}})},
        LayerWay{"onednn_u8_plain", "onednn", s8_with({{"activations", "u8"}, {"weights", "plain"}})},
        LayerWay{"own", "own", s8_with({})},
        LayerWay{"own_pass", "own", s8_with({{"epilogue_by", "pass"}})},
        LayerWay{"own_tensor", "own", s8_with({{"weight_scales", "tensor"}})},
        LayerWay{"own_static", "own", s8_with({{"scales", "static"}})},
        LayerWay{"own_u8", "own", s8_with({{"activations", "u8"}})},
        LayerWay{"own_u8_static", "own", s8_with({{"activations", "u8"}, {"scales", "static"}})},
        LayerWay{"own_vnni", "own", s8_with({{"isa", "avx512_vnni"}})},
        LayerWay{"own_avx2", "own", s8_with({{"isa", "avx2"}})},
        LayerWay{"own_avx2_u8", "own", s8_with({{"isa", "avx2"}, {"activations", "u8"}})},
        LayerWay{"own_baseline", "own", s8_with({{"isa", "baseline"}})},
        LayerWay{"own_baseline_u8_pass", "own",
                 s8_with({{"isa", "baseline"}, {"activations", "u8"}, {"epilogue_by", "pass"}})}),
    name_of_layer_way);

}  // namespace
}  // namespace kernsweep::testing
