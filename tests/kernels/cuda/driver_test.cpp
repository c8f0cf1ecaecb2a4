// Failures of a driver or a GPU, as reasons and statuses of the pack; and random words by it.
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <span>
#include <thread>

#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/cuda_timing.hpp"
#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/philox_fill.hpp"
#include "tensors/generator.hpp"
#include "tensors/philox.hpp"
#include "tensors/ranges.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::StartsWith;

class CudaDriver : public FakeCuda {};

const Settings kSmall = settings({{"bytes", 4096}});

std::string refusal(ks_status& status) {
  std::string why;
  status = can_run(family_of(cuda_pack(), "memory"), "cuda", kSmall, why);
  return why;
}

TEST_F(CudaDriver, ThatDoesNotStartIsUnsupportedWithTheErrorsNameAndWhatToDo) {
  fake_cuda::start({.init_result = 803});
  ks_status status = KS_OK;
  EXPECT_THAT(refusal(status), IsGolden());
  EXPECT_EQ(status, KS_UNSUPPORTED);
}

TEST_F(CudaDriver, ThatIsOlderThanTheToolkitIsUnsupported) {
  fake_cuda::start({.driver_version = 11040});
  ks_status status = KS_OK;
  EXPECT_THAT(std::regex_replace(refusal(status), std::regex("built with [0-9.]+"), "built with <toolkit>"),
              IsGolden());
  EXPECT_EQ(status, KS_UNSUPPORTED);
}

TEST_F(CudaDriver, WithoutAGpuIsUnsupported) {
  for (const fake_cuda::Simulation& simulation :
       {fake_cuda::Simulation{.devices = 0}, fake_cuda::Simulation{.init_result = 100}}) {
    fake_cuda::start(simulation);
    ks_status status = KS_OK;
    EXPECT_THAT(refusal(status), IsGolden());
    EXPECT_EQ(status, KS_UNSUPPORTED);
  }
}

TEST_F(CudaDriver, IsAskedForEachPointAndMayComeBack) {
  fake_cuda::start({.init_result = 803});
  ks_status status = KS_OK;
  refusal(status);
  ASSERT_EQ(status, KS_UNSUPPORTED);
  fake_cuda::start();
  EXPECT_EQ(refusal(status), "");
  EXPECT_EQ(status, KS_OK);
}

// The errors of which cuda.h says that the process must be terminated, by their names.
std::map<std::string, int> errors_that_end_a_process() {
  std::ifstream file(KERNSWEEP_CUDA_H);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::regex must_end(R"(must[\s*]+be[\s*]+terminated)");
  const std::regex error(R"((CUDA_ERROR_[A-Z_0-9]+)\s*=\s*([0-9]+))");
  std::map<std::string, int> found;
  for (std::size_t begin = text.find("/**"); begin != text.npos; begin = text.find("/**", begin + 1)) {
    const std::size_t end = text.find("*/", begin);
    const std::string comment = text.substr(begin, end - begin);
    if (!std::regex_search(comment, must_end)) continue;
    const std::string after = text.substr(end, 200);
    std::smatch named;
    if (std::regex_search(after, named, error)) found.emplace(named[1], std::stoi(named[2]));
  }
  return found;
}

TEST_F(CudaDriver, EveryErrorAfterWhichTheProcessMustEndLosesTheDevice) {
  std::map<std::string, int> errors = errors_that_end_a_process();
  ASSERT_EQ(errors["CUDA_ERROR_ILLEGAL_ADDRESS"], 700) << "read from " << KERNSWEEP_CUDA_H;
  ASSERT_GE(errors.size(), 9U);
  errors["226, which an older cuda.h has not"] = 226;
  errors["721, which an older cuda.h has not"] = 721;
  for (const auto& [name, error] : errors) {
    try {
      cuda::check(static_cast<CUresult>(error), "testing");
      ADD_FAILURE() << name << " is no failure";
    } catch (const cuda::Failure& failure) {
      EXPECT_EQ(failure.status(), KS_DEVICE_LOST) << name;
      if (name == "CUDA_ERROR_ILLEGAL_ADDRESS") {
        EXPECT_THAT(failure.what(), IsGolden());
      }
    }
  }
}

// With this program's own copy of the adapter: the pack may have loaded them before.
TEST_F(CudaDriver, WithoutCodeForTheGpuIsUnsupportedUntilThereIsSome) {
  cuda::open_device();
  fake_cuda::start({.load_result = 209});
  try {
    cuda::loaded(kernsweep_fatbin_memory);
    ADD_FAILURE() << "loaded";
  } catch (const cuda::Failure& failure) {
    EXPECT_EQ(failure.status(), KS_UNSUPPORTED);
    EXPECT_THAT(failure.what(), IsGolden());
  }
  fake_cuda::start();
  const cuda::Module& module = cuda::loaded(kernsweep_fatbin_memory);
  EXPECT_EQ(&module, &cuda::loaded(kernsweep_fatbin_memory)) << "once";
}

// In a child: the GPU is lost for the rest of the process, and with it what the kernel had there.
TEST_F(CudaDriver, AKernelThatTouchesWhatItMustNotFailsTheRunAndSaysThatTheProcessIsLost) {
  for (const auto& [name, set] :
       {std::pair{"stream", settings({{"n", 100}})},
        {"launch", settings({{"kernels", 3}})},
        {"launch", settings({{"kernels", 3}, {"graph", true}})},
        {"memory", kSmall},
        {"transfer", settings({{"bytes", 400}, {"mode", "overlap"}, {"steps", 1}})}}) {
    const std::string told = in_child([&, name = name, set = set] {
      fake_cuda::start({.illegal_launch = 2});
      const Measured measured = measure(family(name), "cuda", set);
      const Measured next = measure(family("memory"), "cuda", kSmall);
      return measured.failed_in + " " + std::to_string(measured.status) + ": " + measured.why + " / " +
             next.failed_in + " " + next.why;
    });
    EXPECT_THAT(told, IsGolden()) << name;
  }
}

TEST_F(CudaDriver, TheFakeEndsAProgramThatFollowsAnAddressOfTheDevice) {
  EXPECT_THAT(in_child([] {
                cuda::open_device();
                cuda::MemoryCount count;
                const cuda::DeviceMemory memory(64, count);
                return std::to_string(*static_cast<volatile char*>(memory.address()));
              }),
              StartsWith("died: "));
}

TEST_F(CudaDriver, TheFakeEndsAProgramThatGivesAKernelOtherArguments) {
  EXPECT_THAT(in_child([]() -> std::string {
                cuda::open_device();
                const cuda::Module module(kernsweep_fatbin_philox);
                const cuda::Stream stream;
                launch(module.kernel<std::int64_t>("philox_words"), {}, stream, std::int64_t{1});
                return "lives";
              }),
              StartsWith("died: "));
}

TEST_F(CudaDriver, DeviceMemoryCountsWhatIsAllocatedAndTheMostThatWas) {
  cuda::open_device();
  cuda::MemoryCount count;
  {
    const cuda::DeviceMemory first(1000, count);
    cuda::DeviceMemory second(500, count);
    EXPECT_EQ(count.allocated, 1500u);
    second = cuda::DeviceMemory();
    EXPECT_EQ(count.allocated, 1000u);
    const cuda::DeviceMemory none(0, count);
    EXPECT_EQ(none.address(), nullptr);
  }
  EXPECT_EQ(count.allocated, 0u);
  EXPECT_EQ(count.peak, 1500u);
}

TEST_F(CudaDriver, PhiloxOnTheDeviceHasTheWordsOfTheLibrary) {
  const cuda::Device& device = cuda::open_device();
  cuda::MemoryCount count;
  const cuda::PhiloxFill fill(device);
  for (const std::size_t n : {0u, 1u, 3u, 4u, 5u, 4095u, 100003u}) {
    const cuda::DeviceMemory memory(4 * n, count);
    std::vector<std::uint32_t> words(n), expected((n + 3) / 4 * 4);
    const cuda::Stream stream;
    fill.words(static_cast<std::uint32_t*>(memory.address()), static_cast<std::int64_t>(n), 42, 3, stream);
    cuda::copy_to_host(words.data(), memory.address(), 4 * n, stream);
    stream.synchronize();
    fill_philox(42, 3, 0, expected, Instructions::plain);
    expected.resize(n);
    EXPECT_EQ(words, expected) << n << " words";
  }
}

TEST_F(CudaDriver, UniformFloatsOnTheDeviceAreThoseOfTheLibrary) {
  const cuda::Device& device = cuda::open_device();
  cuda::MemoryCount count;
  const cuda::PhiloxFill fill(device);
  for (const std::size_t n : {0u, 1u, 3u, 4u, 5u, 4095u, 100003u}) {
    TensorSpec spec;
    spec.shape = {static_cast<std::int64_t>(n)};
    spec.a = -1;
    spec.b = 1;
    spec.seed = 42;
    const cuda::DeviceMemory memory(4 * n, count);
    std::vector<float> floats(n), expected(n);
    ASSERT_TRUE(generate(spec, std::as_writable_bytes(std::span(expected)), 1));
    const cuda::Stream stream;
    fill.uniform(static_cast<float*>(memory.address()), static_cast<std::int64_t>(n), 42,
                 {-1, 2, -1, static_cast<float>(largest_below(Dtype::f32, 1))}, stream);
    cuda::copy_to_host(floats.data(), memory.address(), 4 * n, stream);
    stream.synchronize();
    EXPECT_EQ(floats, expected) << n << " floats";
  }
}

TEST_F(CudaDriver, AGateOpensByItselfBeforeTheHostAndTheGpuWaitForEachOther) {
  cuda::open_device();
  {
    const cuda::Stream stream;
    cuda::Gate gate;
    gate.close(stream);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (fake_cuda::holds() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    ASSERT_FALSE(fake_cuda::holds());
    stream.synchronize();
    EXPECT_FALSE(gate.open());
    gate.close(stream);
    gate.open();
    stream.synchronize();
  }
  EXPECT_EQ(fake_cuda::done().held, 2);
  EXPECT_EQ(fake_cuda::left_over(), "");
}

TEST_F(CudaDriver, WhatIsTooSlowToBeQueuedIsCounted) {
  cuda::open_device();
  cuda::TimedStream stream;
  stream.run_many(2, [] {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (fake_cuda::holds() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  });
  EXPECT_EQ(stream.begun_early(), 1U);
}

}  // namespace
}  // namespace kernsweep::testing
