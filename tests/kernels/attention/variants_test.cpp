// Every variant of attention against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/attention/attention_points.hpp"

namespace kernsweep::testing {
namespace {

struct Lengths {
  const char* what;
  int batch, heads, kv_heads, q_len, kv_len, head_dim;
};

// Queries around the 8, 16 and 32 lanes of a strip and the 8 that are computed row by row, keys around a
// tile of 16 and a vector, elements of a head around the 6 and 14 of a register tile, primes, ones,
// nothing.
constexpr Lengths kLengths[] = {
    {"one", 1, 1, 1, 1, 1, 1},
    {"one key", 2, 2, 1, 3, 1, 5},
    {"primes", 1, 3, 3, 37, 53, 13},
    {"square", 2, 2, 2, 64, 64, 64},
    {"a query more than a strip", 1, 2, 2, 33, 33, 16},
    {"a query less than a strip", 1, 2, 2, 31, 35, 7},
    {"more queries than keys", 1, 2, 1, 41, 11, 9},
    {"wide", 1, 1, 1, 18, 21, 257},
    {"narrow", 1, 2, 2, 70, 45, 1},
    {"decoded", 2, 4, 4, 1, 133, 64},
    {"decoded in groups", 1, 8, 2, 1, 97, 128},
    {"decoded in three", 1, 6, 2, 1, 50, 31},
    {"two decoded in groups", 1, 6, 2, 2, 50, 17},
    {"group of many", 1, 9, 1, 1, 40, 20},
    {"group of a whole strip", 1, 5, 1, 7, 40, 20},
    {"long", 1, 1, 1, 3, 1000, 24},
    {"no keys", 1, 2, 2, 5, 0, 4},
    {"no queries", 1, 2, 2, 0, 5, 4},
    {"no batch", 0, 2, 2, 3, 3, 4},
};

Settings set_of_lengths(const Lengths& s, bool causal) {
  return with(attention_of(s.heads, s.q_len, s.kv_len, s.head_dim),
              {{"batch", s.batch}, {"kv_heads", s.kv_heads}, {"causal", causal}});
}

struct AttentionWay {
  const char* name;
  const char* variant;
  Settings set;

  // Otherwise the bytes of our pointers are part of the test's name, other ones in each process.
  friend void PrintTo(const AttentionWay& way, std::ostream* out) { *out << way.name; }
};

class AttentionEveryLength : public ::testing::TestWithParam<AttentionWay> {};

TEST_P(AttentionEveryLength, AgreesWithTheReferenceCausalOrNotOnOneToThreeThreads) {
  std::string why;
  Settings any = GetParam().set;
  any.merge(set_of_lengths(kLengths[0], false));
  if (can_run(attention(), GetParam().variant, any, why) == KS_UNSUPPORTED) GTEST_SKIP() << why;
  for (const Lengths& lengths : kLengths)
    for (const bool causal : {false, true})
      for (const int threads : {1, 2, 3}) {
        Settings set = GetParam().set;
        set.merge(set_of_lengths(lengths, causal));
        EXPECT_EQ(mismatch_with_reference(attention(), GetParam().variant, set, {.threads = threads}), "")
            << lengths.what << (causal ? " causal" : "") << " threads " << threads;
      }
}

std::string name_of_attention_way(const ::testing::TestParamInfo<AttentionWay>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    All, AttentionEveryLength,
    ::testing::Values(AttentionWay{"plain", "plain", {}}, AttentionWay{"fused", "fused", {}},
                      AttentionWay{"fused_baseline", "fused", settings({{"isa", "baseline"}})},
                      AttentionWay{"fused_avx2", "fused", settings({{"isa", "avx2"}})},
                      AttentionWay{"fused_avx512f", "fused", settings({{"isa", "avx512f"}})},
                      AttentionWay{"fused_small_tiles", "fused",
                                   settings({{"block_q", 1}, {"block_k", 16}})},
                      AttentionWay{"fused_odd_tiles", "fused", settings({{"block_q", 65}, {"block_k", 7}})},
                      AttentionWay{"fused_baseline_odd_tiles", "fused",
                                   settings({{"isa", "baseline"}, {"block_q", 9}, {"block_k", 3}})},
                      AttentionWay{"fused_avx2_tiles_of_one", "fused",
                                   settings({{"isa", "avx2"}, {"block_q", 33}, {"block_k", 1}})},
                      AttentionWay{"fused_bf16", "fused", settings({{"dtype", "bf16"}})},
                      AttentionWay{"fused_baseline_bf16", "fused",
                                   settings({{"dtype", "bf16"}, {"isa", "baseline"}, {"block_k", 11}})}),
    name_of_attention_way);

TEST(AttentionVariants, NoneRefusesAnyLengthByDefault) {
  for (const std::string& variant : names_of_variants(attention()))
    for (const Lengths& lengths : kLengths)
      for (const bool causal : {false, true}) {
        std::string why;
        EXPECT_EQ(can_run(attention(), variant, set_of_lengths(lengths, causal), why), KS_OK)
            << variant << " " << lengths.what << ": " << why;
      }
}

// Errors of a dropped tile or a forgotten scale factor would be far larger than this share of the
// tolerance.
TEST(AttentionVariants, TheTolerancesAreNotWide) {
  const Settings set = with(attention_of(2, 128, 512, 64), {{"causal", true}});
  ks_tolerance tolerance = tolerance_of(attention(), set);
  tolerance.relative /= 8;
  const Measured right = measure(attention(), "naive", set);
  for (const char* variant : {"fused", "plain"})
    EXPECT_EQ(difference(measure(attention(), variant, set), right, tolerance), "") << variant;
}

// The largest score comes last, so that all that was summed before has to be scaled each time.
TEST(AttentionVariants, AreRightWhereScoresGrowFromKeyToKey) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    const auto number = static_cast<double>(index);
    if (input == "q") return 1.0;
    return input == "k" ? 0.125 * std::floor(number / 4) : std::cos(number);
  };
  for (const int queries : {1, 40})
    for (const char* variant : {"fused", "plain"})
      EXPECT_EQ(mismatch_with_reference(attention(), variant,
                                        with(attention_of(1, queries, 100, 4), {{"block_k", 8}}), options),
                "")
          << variant;
}

TEST(AttentionVariants, TheSameCallGivesTheSameBits) {
  for (const Lengths& lengths : kLengths)
    for (const int threads : {1, 2}) {
      const Settings set = set_of_lengths(lengths, true);
      const auto bits = [&](int runs) {
        return measure(attention(), "fused", set, {.threads = threads, .runs = runs}).values;
      };
      EXPECT_EQ(bits(1), bits(3)) << lengths.what;
    }
}

TEST(AttentionVariants, TheReferenceHasTheSameBitsForAnyNumberOfThreads) {
  const Settings set = set_of_lengths(kLengths[2], true);
  EXPECT_EQ(measure(attention(), "naive", set, {.threads = 1}).values,
            measure(attention(), "naive", set, {.threads = 3}).values);
}

double workspace_of(const char* variant, int length, int threads = 1) {
  return measure(attention(), variant, attention_of(1, length, length, 16), {.threads = threads})
      .metrics.at("workspace_bytes");
}

TEST(AttentionVariants, OnlyThePlainOneNeedsMemoryForThePairs) {
  EXPECT_EQ(workspace_of("plain", 512), 4 * 512 * 512);
  EXPECT_EQ(workspace_of("plain", 256), 4 * 256 * 256);
  EXPECT_EQ(workspace_of("fused", 512), workspace_of("fused", 1024));
  EXPECT_EQ(workspace_of("fused", 1024, 2), 2 * workspace_of("fused", 1024));
}

TEST(AttentionVariants, EachSaysSoWhenTheHostHasNoMemory) {
  for (const std::string& variant : names_of_variants(attention())) {
    const Measured measured =
        measure(attention(), variant, attention_of(2, 64, 64, 16), {.bytes_max = 4096});
    EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant;
    EXPECT_EQ(measured.failed_in, "prepare") << variant;
  }
}

TEST(AttentionVariants, SettingsThatAreNoneAreRefused) {
  for (const char* name : {"block_q", "block_k"})
    for (const int value : {0, 65537}) {
      std::string why;
      EXPECT_EQ(can_run(attention(), "fused", with(attention_of(1, 2, 2, 2), {{name, value}}), why),
                KS_BAD_PARAMETER);
      EXPECT_THAT(why, IsGolden());
    }
}

TEST(AttentionVariants, ThePlainOneNamesTheOneThatComputesBf16) {
  std::string why;
  EXPECT_EQ(can_run(attention(), "plain", with(attention_of(1, 2, 2, 2), {{"dtype", "bf16"}}), why),
            KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
}

TEST(AttentionVariants, ALibraryThatIsNotThereIsAFailureWithItsName) {
  const Measured measured =
      measure(attention(), "plain", with(attention_of(1, 2, 2, 2), {{"blas.library", "libnowhere.so.9"}}));
  EXPECT_NE(measured.status, KS_OK);
  EXPECT_THAT(measured.why, IsGolden());
}

TEST(AttentionVariants, EachTellsWhatItReallyRanOn) {
  const auto runtime = [](const char* variant, int queries, int threads) {
    return measure(attention(), variant, attention_of(1, queries, 1000, 16), {.threads = threads}).runtime;
  };
  EXPECT_NE(told_in(runtime("plain", 3, 1))["core"], "");
  EXPECT_NE(told_in(runtime("fused", 3, 1))["isa"], "");
  EXPECT_EQ(told_in(runtime("fused", 3, 1))["key_parts"], "1");
  EXPECT_EQ(told_in(runtime("fused", 3, 2))["key_parts"], "8");  // one head, two threads
  EXPECT_EQ(told_in(runtime("fused", 3, 2))["threads"], "2");
}

}  // namespace
}  // namespace kernsweep::testing
