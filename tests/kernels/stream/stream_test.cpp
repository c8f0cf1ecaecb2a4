// stream: every loop, type and kind of store against the reference, and the reference against sums done by
// hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

const ks_family& stream() {
  return family_of(open_pack("stream"), "stream");
}

// x = 1, 2, 3, ...; y = 10, 20, 30, ...
HostOptions by_hand() {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    return static_cast<double>(index + 1) * (input == "x" ? 1 : 10);
  };
  return options;
}

std::vector<double> reference_of(const char* op) {
  return measure(stream(), "naive", settings({{"op", op}, {"n", 3}}), by_hand()).values;
}

TEST(Stream, TheReferenceDoesWhatStreamDefines) {
  EXPECT_THAT(reference_of("copy"), ElementsAre(1, 2, 3));
  EXPECT_THAT(reference_of("scale"), ElementsAre(3, 6, 9));     // 3 x
  EXPECT_THAT(reference_of("add"), ElementsAre(11, 22, 33));    // x + y
  EXPECT_THAT(reference_of("triad"), ElementsAre(31, 62, 93));  // x + 3 y
}

TEST(Stream, HowItStoresIsASettingAndAllElseTheProblem) {
  EXPECT_THAT(names_in(stream().settings), ElementsAre("non_temporal"));
}

TEST(Stream, TriadInF64IsTheDefault) {
  const Measured measured = measure(stream(), "loop", settings({{"n", 2}}), by_hand());
  EXPECT_EQ(measured.dtype, KS_F64);
  EXPECT_THAT(measured.values, ElementsAre(31, 62));
}

#if defined(__x86_64__)
constexpr bool kStores[] = {false, true};  // past the caches
#else
constexpr bool kStores[] = {false};
TEST(Stream, WithoutSuchAnInstructionNoStoreGoesPastTheCaches) {
  const Measured measured = measure(stream(), "loop", settings({{"non_temporal", true}}), by_hand());
  EXPECT_EQ(measured.status, KS_UNSUPPORTED) << measured.why;
}
#endif

// Lengths around a line (8 f64, 16 f32), a page (512, 1024) and several pieces, and none at all.
TEST(Stream, EveryLoopAgreesWithTheReferenceForEveryLengthTypeStoreAndThreadCount) {
  for (const char* op : {"copy", "scale", "add", "triad"})
    for (const char* dtype : {"f64", "f32"})
      for (const bool non_temporal : kStores)
        for (const int n : {0, 1, 7, 8, 9, 15, 17, 511, 513, 1024, 4099, 20011})
          for (const int threads : {1, 2, 3}) {
            const Settings set =
                settings({{"op", op}, {"dtype", dtype}, {"non_temporal", non_temporal}, {"n", n}});
            EXPECT_EQ(mismatch_with_reference(stream(), "loop", set, {.threads = threads}), "")
                << op << " " << dtype << " n " << n << " threads " << threads << " past caches "
                << non_temporal;
          }
}

// STREAM counts what the loop names: two arrays for copy and scale, three for add and triad.
TEST(Stream, BytesAndFlopsAreCountedAsStreamCountsThem) {
  const auto work = [](const char* op, const char* dtype) {
    return work_of(stream(), settings({{"op", op}, {"dtype", dtype}, {"n", 100}}));
  };
  EXPECT_EQ(work("copy", "f64").bytes, 1600);
  EXPECT_EQ(work("scale", "f64").bytes, 1600);
  EXPECT_EQ(work("add", "f64").bytes, 2400);
  EXPECT_EQ(work("triad", "f32").bytes, 1200);
  EXPECT_EQ(work("copy", "f64").flops, 0);
  EXPECT_EQ(work("scale", "f64").flops, 100);
  EXPECT_EQ(work("add", "f64").flops, 100);
  EXPECT_EQ(work("triad", "f64").flops, 200);
}

TEST(Stream, AnInputOnlyForWhatTheLoopReads) {
  std::vector<ks_input> inputs;
  std::string why;
  ASSERT_EQ(inputs_of(stream(), settings({{"op", "scale"}, {"n", 5}}), inputs, why), KS_OK) << why;
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].shape[0], 5);
  ASSERT_EQ(inputs_of(stream(), settings({{"op", "add"}, {"n", 5}}), inputs, why), KS_OK) << why;
  EXPECT_EQ(inputs.size(), 2u);
}

TEST(Stream, RefusesWhatItDoesNotKnowAndSaysWhatItWants) {
  std::string why;
  EXPECT_EQ(can_run(stream(), "loop", settings({{"n", -1}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(stream(), "loop", settings({{"op", "sum"}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(stream(), "naive", settings({{"dtype", "s8"}}), why), KS_BAD_PARAMETER);
}

TEST(Stream, SaysSoWhenTheHostHasNoMemory) {
  for (const char* variant : {"loop", "naive"}) {
    const Measured measured = measure(stream(), variant, settings({{"n", 100000}}), {.bytes_max = 4096});
    EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant;
    EXPECT_EQ(measured.failed_in, "prepare") << variant;
  }
}

}  // namespace
}  // namespace kernsweep::testing
