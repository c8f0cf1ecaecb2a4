// Axes that ask for GPUs.
#include "language/check/devices.hpp"

#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

// "cpu core, gpu host": alone_on of the points, by device.
std::string alone_on(const std::string& rest) {
  const auto e = expansion_of(rest);
  std::string out;
  Point point;
  for (std::uint64_t i = 0; i < e.raw_points(); ++i) {
    e.point_at(i, point);
    if (e.rejection(i, point)) continue;
    const bool core = e.rules(e.rules_of(point)).measure.alone_on == Exclusion::core;
    out += (out.empty() ? "" : ", ") + point.values[0].to_text() + (core ? " core" : " host");
  }
  return out;
}

TEST(Devices, AJobOnAGpuIsAloneOnItAndItsCores) {
  EXPECT_EQ(alone_on("axes: {device: [cpu, gpu]}"), "cpu host, gpu core");
  EXPECT_EQ(alone_on("axes: {gpus: [null, 0, 1, 2]}"), "null host, 0 host, 1 core, 2 core");
}

TEST(Devices, WhatTheFileSaysOfThatWins) {
  EXPECT_EQ(alone_on("axes: {device: [cpu, gpu]}\nmeasure: {alone_on: host}"), "cpu host, gpu host");
  EXPECT_EQ(alone_on("axes: {device: [cpu, gpu]}\noverrides: [{when: 'device == \"gpu\"', set: "
                     "{measure.alone_on: host}}]"),
            "cpu host, gpu host");
}

TEST(Devices, PointsThatContradictThemselvesAreRejectedWithTheReason) {
  const auto e = expansion_of("axes: {device: [cpu, gpu], gpus: [0, 1]}");
  std::vector<std::string> why;
  Point point;
  for (std::uint64_t i = 0; i < e.raw_points(); ++i) {
    e.point_at(i, point);
    const auto rejected = e.rejection(i, point);
    why.push_back(rejected ? rejected->reason : "");
  }
  EXPECT_THAT(why, testing::ElementsAre("", "a job on the processor gets no GPU",
                                        "a job on a GPU gets one or more", ""));
}

TEST(Devices, OtherValuesAreErrorsWithTheirPlace) {
  EXPECT_EQ(error_of("axes: {device: [cpu, cuda]}"),
            "s.yaml:4:22: device is cpu or gpu, not 'cuda'; the worker that runs a job decides which GPU "
            "it gets; give another name to what a kernel calls its device");
  EXPECT_EQ(error_of("axes: {gpus: [1, 65]}"),
            "s.yaml:4:18: gpus takes whole numbers from 0 to 64, not '65'");
  EXPECT_THAT(error_of("axes: {gpus: {range: [1, 2000000000]}}"), IsGolden());
  EXPECT_THAT(error_of("axes: {i: [1]}\ninclude: [{i: 2, gpus: many}]"), IsGolden());
  EXPECT_EQ(
      error_of("axes: {device: [gpu], env.CUDA_VISIBLE_DEVICES: [0]}"),
      "s.yaml:4:23: the worker sets CUDA_VISIBLE_DEVICES, to the GPUs that a job got; the axis `device: "
      "[gpu]` or `gpus` gives it some");
  EXPECT_THAT(error_of("axes: {env.CUDA_VISIBLE_DEVICES: [0]}"), IsGolden());
  EXPECT_EQ(error_of("axes: {i: [1]}\nderive: {gpus: i + 1}"),
            "s.yaml:5:16: 'gpus' says what a job gets, so it is an axis and cannot be derived");
  EXPECT_THAT(error_of("axes: {device: [0, 1], gpus: [1]}"), IsGolden());
}

TEST(Devices, GpusOfAJob) {
  const Value cpu("cpu"), gpu("gpu"), none, two(2);
  EXPECT_EQ(gpus_of(&cpu, nullptr), 0U);
  EXPECT_EQ(gpus_of(&gpu, nullptr), 1U);
  EXPECT_EQ(gpus_of(&gpu, &none), 1U);
  EXPECT_EQ(gpus_of(&gpu, &two), 2U);
  EXPECT_EQ(gpus_of(nullptr, &two), 2U);
}

TEST(Devices, ASweepAsksForThemByAnyPoint) {
  EXPECT_FALSE(asks_for_gpus(expansion_of("axes: {device: [cpu], i: [1]}")));
  EXPECT_TRUE(asks_for_gpus(expansion_of("axes: {device: [cpu, gpu]}")));
  EXPECT_TRUE(asks_for_gpus(expansion_of("axes: {i: [1], gpus: [0, 4]}")));
  EXPECT_TRUE(asks_for_gpus(expansion_of("axes: {i: [1]}\ninclude: [{i: 2, device: gpu}]")));
}

}  // namespace
}  // namespace kernsweep::sweep_test
