#include "results/answer/roof_shares.hpp"

#include "results/report/answer_text.hpp"
#include "shared/lists/gpu_lines.hpp"
#include "shared/lists/input_list.hpp"

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/roofs/roofs_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using RoofRows = test::RoofsTest;
using test::why;

TEST_F(RoofRows, TheFastestSampleOfTheBestVariantIsTheRoof) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 2e-3);
  Job slow_but_for_once = job({"core", 1, Value(), "f32", Value(), Value(), "avx512"}, 4e-3);
  slow_but_for_once.samples = {4e-3, 1e-3, 4e-3};  // the fastest: 1 ms, 100 GFLOP/s
  slow_but_for_once.record.summary = summarise(slow_but_for_once.samples);
  put_measured(std::move(slow_but_for_once), 1e8, 0);
  put_memory("copy", 2e-3);
  put_memory("triad", 1e-3);
  Reader r = reader();
  const auto all = good(read_roofs(r));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].host, "node7");
  EXPECT_EQ(all[0].fingerprint, digest_of("h").hex());
  EXPECT_NEAR(all[0].roofs.peaks.at("f32").rate, 100, 1e-9);
  EXPECT_EQ(all[0].roofs.peaks.at("f32").by, "avx512");
  ASSERT_EQ(all[0].roofs.levels.size(), 1U);
  EXPECT_NEAR(all[0].roofs.levels[0].limit.rate, 10, 1e-9);
  EXPECT_EQ(all[0].roofs.levels[0].limit.by, "triad, non-temporal");
  const RowSet rows = rows_of(all);
  EXPECT_EQ(cell(rows, "roof"), Value("f32"));
  EXPECT_EQ(cell(rows, "unit"), Value("GFLOP/s"));
  EXPECT_EQ(cell(rows, "bytes"), Value());
  EXPECT_EQ(cell(rows, "roof", 1), Value("memory"));
  EXPECT_EQ(cell(rows, "bytes", 1), Value(1e6));
}

TEST_F(RoofRows, FailedJobsAndOtherKernelsAreNoRoofs) {
  begin_roofs("roofs");
  put(job({"core", 1, Value(), "s8", Value(), Value(), "plain"}, 1).failed(Outcome::unsupported, "no s8"));
  begin("gemm", {"threads", "dtype", "variant"});
  put_gemm({1, "f32", "blas"});
  Reader r = reader();
  EXPECT_TRUE(good(read_roofs(r)).empty());
}

TEST_F(RoofRows, AResultHasItsShareOfTheRoofsOfItsThreads) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-3, 1);  // 100 GFLOP/s
  put_memory("copy", 1e-3, 1);
  put_peak("f32", "avx2", 5e-4, 2);  // 200 GFLOP/s
  put_memory("copy", 1e-3, 2);
  begin("gemm", {"threads", "dtype", "variant"});
  const auto one = put_gemm({1, "f32", "blas"}), two = put_gemm({2, "f32", "blas"});
  const auto three = put_gemm({3, "f32", "blas"}), wide = put_gemm({1, "f64", "blas"});
  Reader r = reader();
  const auto roofs = good(read_roofs(r));
  EXPECT_NEAR(good(share_of_result(r, one, roofs, "")).share, 0.2, 1e-9);
  EXPECT_NEAR(good(share_of_result(r, two, roofs, "")).share, 0.1, 1e-9);
  EXPECT_THAT(why(share_of_result(r, three, roofs, "")), IsGolden());
  EXPECT_THAT(why(share_of_result(r, wide, roofs, "")), IsGolden());
  EXPECT_THAT(why(share_of_result(r, 999, roofs, "")), IsGolden());
}

TEST_F(RoofRows, RoofsOfAnotherHostDoNotCount) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-3);
  put_memory("copy", 1e-3);
  here = good(store.add_host({.fingerprint = digest_of("other"), .name = "node8"}));
  begin("gemm", {"threads", "dtype", "variant"});
  const auto result = put_gemm({1, "f32", "blas"});
  Reader r = reader();
  EXPECT_THAT(why(share_of_result(r, result, good(read_roofs(r)), "")), IsGolden());
}

// A GPU and the processor of its host: neither is compared with the other's roofs, and threads of the host
// do not matter to a GPU.
TEST_F(RoofRows, AResultOfAGpuHasItsShareOfThatCardsRoofs) {
  const auto on = [&](const char* gpus, Job made, double flops, double bytes) {
    made.record.gpus = gpus;
    put_measured(std::move(made), flops, bytes);
  };
  constexpr const char* kCard = "GPU-1 NVIDIA H200, compute capability 9.0, 1 bytes, driver 580, CUDA 13.0";
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-3);  // 100 GFLOP/s
  put_memory("copy", 1e-3);
  on(kCard, job({"core", 1, Value(), "f32", Value(), Value(), "cuda"}, 1e-4), 1e8, 0);  // 1000 GFLOP/s
  on(kCard, job({"core", 1, Value(), "f16", Value(), Value(), "cuda"}, 1e-5), 1e8, 0);
  on(kCard, job({"memory", 1, "triad", Value(), 1000000, true, "cuda"}, 1e-5), 0, 1e7);
  begin("gemm", {"threads", "dtype", "variant"});
  const auto cpu = put_gemm({1, "f32", "blas"});
  std::vector<std::uint64_t> results;
  for (const char* gpus : {kCard, "GPU-2 NVIDIA H200, compute capability 9.0", "GPU-3 NVIDIA L4, 8.9",
                           "GPU-1 NVIDIA H200, 9.0\nGPU-2 NVIDIA H200, 9.0"}) {
    on(gpus, job({2, "f32", "cuda"}, 1e-3), 2e7, 10);
    results.push_back(cpu + results.size() + 1);
  }
  on(kCard, job({3, "f32", "cuda"}, 10e-6), 1e4, 10);
  on("", job({4, "f32", "blas"}, 10e-6), 1e4, 10);
  Reader r = reader();
  auto roofs = good(read_roofs(r));
  ASSERT_EQ(roofs.size(), 2U);
  EXPECT_EQ(roofs[0].gpu, "");
  EXPECT_EQ(roofs[1].gpu, "NVIDIA H200");
  EXPECT_NEAR(good(share_of_result(r, cpu, roofs, "")).share, 0.2, 1e-9);
  EXPECT_NEAR(good(share_of_result(r, results[0], roofs, "")).share, 0.02, 1e-9);
  EXPECT_NEAR(good(share_of_result(r, results[1], roofs, "")).share, 0.02, 1e-9) << "another of its kind";
  EXPECT_THAT(why(share_of_result(r, results[2], roofs, "")), IsGolden());
  EXPECT_THAT(why(share_of_result(r, results[3], roofs, "")), IsGolden());
  EXPECT_EQ(good(share_of_result(r, cpu + 5, roofs, "")).bound, Bound::launch);
  roofs.front().threads = 4;
  EXPECT_EQ(good(share_of_result(r, cpu + 6, roofs, "")).bound, Bound::overhead);
  const RowSet rows = rows_of(roofs);
  EXPECT_EQ(cell(rows, "gpu"), Value());
  EXPECT_EQ(cell(rows, "gpu", 2), Value("NVIDIA H200"));
  EXPECT_EQ(cell(rows, "roof", 3), Value("f16"));
}

TEST_F(RoofRows, ASweepWithoutThreadsHasOneAndWithoutTypeAsksForIt) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-3);
  put_memory("copy", 1e-3);
  begin("gemm", {"variant"});
  const auto result = put_gemm({"blas"});
  Reader r = reader();
  const auto roofs = good(read_roofs(r));
  EXPECT_THAT(why(share_of_result(r, result, roofs, "")), IsGolden());
  EXPECT_NEAR(good(share_of_result(r, result, roofs, "f32")).share, 0.2, 1e-9);
}

// A command has no inputs; a kernel without a column dtype computes in the type of its first input.
TEST_F(RoofRows, ASweepWithoutTypeHasThatOfItsFirstInput) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-3);
  put_memory("copy", 1e-3);
  begin("gemm", {"variant"});
  InputRecord input{.hash = digest_of("x"), .name = "A", .dtype = "f32", .shape = "2x3"};
  good(store.add_input(input));
  Job made = job({"blas"}, 1e-3);
  const std::string inputs = "A=" + digest_of("x").hex() + " B=" + digest_of("y").hex();
  made.record.inputs = inputs;
  put_measured(std::move(made), 2e7, 10);
  Reader r = reader();
  const auto roofs = good(read_roofs(r));
  EXPECT_NEAR(good(share_of_result(r, 3, roofs, "")).share, 0.2, 1e-9);
}

// The operand and the card are called what one reads a hash and the end of a name by.
TEST_F(RoofRows, StrangeNamesOfOperandsAndCardsAreNoHashesAndNoEnds) {
  std::string card;
  append_gpu(card, {"GPU-1", "Card, second edition", "compute capability 9.0"});
  begin_roofs("roofs");
  Job peak = job({"core", 1, Value(), "f64", Value(), Value(), "cuda"}, 1e-3);
  peak.record.gpus = card;
  put_measured(std::move(peak), 1e8, 0);
  Job memory = job({"memory", 1, "triad", Value(), 1000000, true, "cuda"}, 1e-3);
  memory.record.gpus = card;
  put_measured(std::move(memory), 0, 1e7);
  good(store.add_input({.hash = digest_of("x"), .name = "A", .dtype = "f64"}));
  good(store.add_input({.hash = digest_of("y"), .name = "B", .dtype = "f32"}));
  begin("gemm", {"variant"});
  Job made = job({"cuda"}, 1e-3);
  std::string inputs;
  append_input(inputs, "A=" + digest_of("y").hex(), digest_of("x"));
  made.record.inputs = inputs;
  made.record.gpus = card;
  put_measured(std::move(made), 2e7, 10);
  Reader r = reader();
  const auto roofs = good(read_roofs(r));
  ASSERT_EQ(roofs.size(), 1U);
  EXPECT_EQ(roofs[0].gpu, "Card, second edition");
  EXPECT_NEAR(good(share_of_result(r, 3, roofs, "")).share, 0.2, 1e-9);
}

TEST_F(RoofRows, EachProblemOfASweepShowsItsBestPoint) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-3);
  put_memory("copy", 1e-3);
  begin("gemm", {"m", "dtype", "variant"});
  put_gemm({64, "f32", "blas"});
  put_gemm({64, "f16", "onednn"});
  Reader r = reader();
  const auto roofs = good(read_roofs(r));
  const RowSet rows = table_of(good(shares_of_sweep(r, "gemm", roofs, "")));
  ASSERT_EQ(rows.rows.size(), 2U);
  EXPECT_EQ(cell(rows, "bound"), Value("compute"));
  EXPECT_NEAR(*cell(rows, "share").number(), 0.2, 1e-9);
  EXPECT_EQ(cell(rows, "why"), Value());
  EXPECT_EQ(cell(rows, "share", 1), Value());
  EXPECT_THAT(cell(rows, "why", 1).to_text(), IsGolden());
  EXPECT_THAT(why(shares_of_sweep(r, "nothing", {}, "")), IsGolden());
}

TEST(RoofTable, AReasonThatAllRowsShareIsSaidOnce) {
  RowSet same{{"m", "why"}, {{Value(1), Value("no dtype")}, {Value(2), Value("no dtype")}}};
  EXPECT_EQ(take_common_reason(same), "No row has a share: no dtype\n");
  EXPECT_EQ(same, (RowSet{{"m"}, {{Value(1)}, {Value(2)}}}));
  RowSet some{{"m", "why"}, {{Value(1), Value("no dtype")}, {Value(2), Value()}}}, before = some;
  EXPECT_EQ(take_common_reason(some), "");
  EXPECT_EQ(some, before);
  RowSet one{{"m", "why"}, {{Value(1), Value("no dtype")}}};
  EXPECT_EQ(take_common_reason(one), "");
}

TEST_F(RoofRows, SharesLeaveOutRowsGradedBelowAndCountThem) {
  begin("gemm", {"m", "dtype", "variant"});
  for (const char grade : {'B', 'C'}) {
    Job made = job({grade == 'B' ? 1 : 2, "f32", "blas"}, 1e-3);
    made.record.grade = grade;
    put(made);
  }
  Reader r = reader();
  const BestAnswer answer = good(shares_of_sweep(r, "gemm", {}, "")).best;
  EXPECT_EQ(answer.rows.size(), 1U);
  EXPECT_EQ(answer.left_out_grade, 1U);
  EXPECT_EQ(answer.lost_groups, 1U);
  EXPECT_EQ(good(shares_of_sweep(r, "gemm", {}, "", 'C')).best.rows.size(), 2U);
}

TEST_F(RoofRows, WhatIsShownOfAResultIsOneLineOrNumbers) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-3);
  put_memory("copy", 1e-3);
  begin("gemm", {"dtype", "variant"});
  const std::string result = std::to_string(put_gemm({"f32", "blas"}));
  Reader r = reader();
  const auto roofs = good(read_roofs(r));
  Shown line = good(show(r, result)), numbers = line, missing = line;
  add_share(line, r, roofs, Detail::line);
  ASSERT_EQ(line.sections.back().title, "roof");
  ASSERT_EQ(line.sections.back().entries.size(), 1U);
  EXPECT_EQ(line.sections.back().entries[0].second,
            Value("20.0 % of the f32 peak, 100 GFLOP/s (avx2): compute"));
  add_share(numbers, r, roofs, Detail::numbers);
  EXPECT_EQ(numbers.sections.back().entries[0].first, "share");
  EXPECT_NEAR(*numbers.sections.back().entries[0].second.number(), 0.2, 1e-9);
  add_share(missing, r, {}, Detail::line);
  EXPECT_THAT(missing.sections.back().entries[0].second.to_text(), IsGolden());
}

// 2e7 operations in 1 ms, 20 GFLOP/s: above a peak of 10 GFLOP/s, and 4 % above one of 19.2.
TEST_F(RoofRows, AResultAboveItsRoofIsGradedBWithBothRates) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-2);
  put_peak("f64", "avx2", 1e-1 / 19.2);
  put_memory("copy", 1e-3);
  begin("gemm", {"dtype", "variant"});
  const std::string above = std::to_string(put_gemm({"f32", "blas"}));
  const std::string near = std::to_string(put_gemm({"f64", "blas"}));
  Reader r = reader();
  const auto roofs = good(read_roofs(r));
  const auto told = [&](const std::string& result, std::string_view title, std::string_view name) {
    Shown shown = good(show(r, result));
    add_share(shown, r, roofs, Detail::line);
    for (const Shown::Section& section : shown.sections)
      for (const auto& [entry, value] : section.entries)
        if (section.title == title && entry == name) return value;
    return Value();
  };
  EXPECT_EQ(told(above, "outcome", "grade"), Value("B"));
  EXPECT_THAT(told(above, "measured", "grade_reasons").to_text(), IsGolden());
  EXPECT_EQ(told(near, "outcome", "grade"), Value("A"));
  EXPECT_EQ(told(near, "measured", "grade_reasons"), Value());
  BestAnswer answer = good(best(r, {.sweep = "gemm"}));
  note_above_roofs(answer, r, roofs);
  ASSERT_EQ(answer.above_roofs.size(), 1U);
  EXPECT_EQ(std::to_string(answer.above_roofs[0].result), above);
  EXPECT_THAT(text_of(answer, "r.db", 9), IsGolden());
  note_above_roofs(answer, r, {});
  EXPECT_TRUE(answer.above_roofs.empty()) << "no roof is known";
}

// A result of grade C stays one.
TEST_F(RoofRows, AResultAboveItsRoofIsNeverGradedBetter) {
  begin_roofs("roofs");
  put_peak("f32", "avx2", 1e-2);
  put_memory("copy", 1e-3);
  begin("gemm", {"dtype", "variant"});
  Job made = job({"f32", "blas"}, 1e-3);
  made.record.grade = 'C';
  made.record.grade_reasons = "doubtful";
  put_measured(std::move(made), 2e7, 10);
  Reader r = reader();
  Shown shown = good(show(r, good(r.query("select max(result) from attempt")).rows[0][0].to_text()));
  add_share(shown, r, good(read_roofs(r)), Detail::line);
  for (const Shown::Section& section : shown.sections)
    for (const auto& [name, value] : section.entries) {
      if (name == "grade") {
        EXPECT_EQ(value, Value("C"));
      }
      if (name == "grade_reasons") {
        EXPECT_THAT(value.to_text(), IsGolden());
      }
    }
}

}  // namespace
}  // namespace kernsweep
