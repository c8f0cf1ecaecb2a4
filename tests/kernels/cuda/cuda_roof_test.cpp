// roof on a simulated GPU: every loop does the work that it reports.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

// Its points are compared with what must come out by CudaFamilies.
class CudaRoof : public FakeCuda {
 protected:
  static const ks_family& roof() { return family("roof"); }
};

constexpr std::int64_t kThreadsSimulated = 2 * 1024;

TEST_F(CudaRoof, IsTheFamilyOfTheProcessor) {
  const ks_family& cpu = family_of(open_pack("roof"), "roof");
  ASSERT_EQ(cpu.param_count, roof().param_count);
  for (std::size_t i = 0; i < cpu.param_count; ++i) {
    EXPECT_STREQ(cpu.params[i].name, roof().params[i].name);
    EXPECT_STREQ(cpu.params[i].choices, roof().params[i].choices);
  }
}

// One round of all threads is the least: 8 chains of 2 operations, or the 32nd part of 8 products of
// 16 x depth by depth x 8.
TEST_F(CudaRoof, TellsTheOperationsThatItReallyDid) {
  const auto told = [&](const char* dtype, std::int64_t operations) {
    const Measured measured =
        measure(roof(), "cuda", settings({{"dtype", dtype}, {"operations", operations}}));
    EXPECT_THAT(measured.values, ElementsAre(1, 1)) << dtype;
    EXPECT_GT(measured.elapsed.value_or(0), 0) << dtype;
    return measured.work ? measured.work->flops : 0;
  };
  EXPECT_EQ(told("f64", 1), kThreadsSimulated * 512) << "by tensor cores: it is a 9.0";
  EXPECT_EQ(told("f32", kThreadsSimulated * 16 * 3), kThreadsSimulated * 16 * 3);
  EXPECT_EQ(told("f32", kThreadsSimulated * 16 * 3 + 1), kThreadsSimulated * 16 * 4);
  EXPECT_EQ(told("tf32", 1), kThreadsSimulated * 512);
  EXPECT_EQ(told("bf16", 1), kThreadsSimulated * 1024);
  EXPECT_EQ(told("f16", kThreadsSimulated * 1024 * 3), kThreadsSimulated * 1024 * 3);
  EXPECT_EQ(told("s8", 1), kThreadsSimulated * 2048);
}

TEST_F(CudaRoof, MoreThanCanBeCountedExactlyIsRefusedWithTheLimit) {
  for (const auto& [dtype, most] : {std::pair{"bf16", (std::int64_t{1} << 18) * kThreadsSimulated * 1024},
                                    {"f32", (std::int64_t{1} << 24) * kThreadsSimulated * 16}}) {
    const Measured measured =
        measure(roof(), "cuda", settings({{"dtype", dtype}, {"operations", most + 1}}), {.runs = 1});
    EXPECT_EQ(measured.status, KS_BAD_PARAMETER) << dtype;
    EXPECT_THAT(measured.why, IsGolden()) << "at most " << most;
  }
}

TEST_F(CudaRoof, ArraysTakeTheBytesThatWereAskedFor) {
  const auto peak = [&](const char* op, std::int64_t bytes) {
    return measure(roof(), "cuda", settings({{"op", op}, {"bytes", bytes}}))
        .metrics.at("device_peak_bytes");
  };
  EXPECT_EQ(peak("read", 80000), 80000 + 8 * kThreadsSimulated);
  EXPECT_EQ(peak("copy", 160000), 160000);
  EXPECT_EQ(peak("triad", 240000), 240000);
}

TEST_F(CudaRoof, ArraysThatTheL2DoesNotHoldAreNoneOfIt) {
  const auto passes = [&](std::int64_t bytes) {
    return measure(roof(), "cuda", settings({{"op", "copy"}, {"bytes", bytes}, {"passes", 2}}));
  };
  EXPECT_EQ(passes(3 << 20).status, KS_OK);
  const Measured beyond = passes((3 << 20) + 16);
  EXPECT_EQ(beyond.status, KS_UNSUPPORTED);
  EXPECT_THAT(beyond.why, IsGolden());
}

TEST_F(CudaRoof, AnArrayThatIsLookedAtInPiecesIsLookedAtWhole) {
  const Settings large = settings({{"op", "triad"}, {"bytes", 24 * ((1 << 20) + 3)}});
  EXPECT_EQ(mismatch_with_reference(roof(), "cuda", large), "");
}

TEST_F(CudaRoof, AGpuWithoutMemoryIsOutOfMemory) {
  fake_cuda::start({.memory_bytes = 100000});
  const Measured measured = measure(roof(), "cuda", settings({{"op", "triad"}, {"bytes", 240000}}));
  EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY);
  EXPECT_EQ(measured.failed_in, "prepare");
}

}  // namespace
}  // namespace kernsweep::testing
