#include "worker/slot/once.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kernsweep {
namespace {

OnceAnswer measured() {
  OnceAnswer answer;
  answer.job.family = "gemm";
  answer.job.threads = 2;
  answer.job.values = {{"variant", "blas"}, {"m", 8}};
  wire::OutcomeBody& body = answer.body;
  body.set_pack_name("gemm");
  body.set_pack_version("0.1.0");
  body.set_runtime("two\nlines\n");
  body.set_affinity("0-1");
  // Quartiles of 1, 2, 3, 4 and 5 ms are 2 and 4 ms.
  for (const double ms : {5, 1, 4, 2, 3}) body.add_samples_s(ms * 1e-3);
  body.set_calls_per_sample(1);
  body.set_stopped_by("noise");
  body.set_flops(6e6);   // in 3 ms: 2 GFLOP/s
  body.set_bytes(12e6);  // in 3 ms: 4 GB/s
  body.set_verified(true);
  body.set_error(1.5e-7);
  body.set_tolerance(1e-5);
  body.set_output_hash(std::string(15, '\0') + "\x7f");
  body.set_repeatable(true);
  wire::Input& input = *body.add_inputs();
  input.set_name("a");
  input.set_summary("f32[8,8] uniform(0, 1) seed 7");
  input.set_content_hash("abcd");
  input.set_bytes(256);
  return answer;
}

TEST(OnceText, TellsAllOfAResult) {
  EXPECT_EQ(text_of(measured()),
            "outcome   ok\n"
            "kernel    gemm blas, pack gemm 0.1.0\n"
            "runtime   two\n"
            "          lines\n"
            "cores     0-1, 2 threads\n"
            "time      3 ms (median; quartiles 2 ms and 4 ms)\n"
            "samples   5 of 1 call, stopped by noise\n"
            "rate      2 GFLOP/s, 4 GB/s\n"
            "error     1.5e-07, tolerance 1e-05\n"
            "output    0000000000000000000000000000007f\n"
            "grade     A\n"
            "input     a = f32[8,8] uniform(0, 1) seed 7, abcd\n");
}

TEST(OnceText, GivesTheReasonsOfAGrade) {
  OnceAnswer answer = measured();
  answer.body.add_grades("a warning");
  EXPECT_THAT(text_of(answer), IsGolden());
  answer.body.add_doubts("a doubt");
  EXPECT_THAT(text_of(answer), IsGolden());
  EXPECT_THAT(json_of(answer), IsGolden());
}

TEST(OnceText, OfAFailureHasItsTypeAndReasonAndNoNumbers) {
  OnceAnswer answer;
  answer.job.family = "gemm";
  answer.outcome = Outcome::failed_setup;
  answer.body.set_reason("no such library");
  const std::string text = text_of(answer);
  EXPECT_THAT(text, IsGolden());
  EXPECT_THAT(json_of(answer), IsGolden());
}

TEST(OnceText, HasNoErrorWhereNothingWasCompared) {
  OnceAnswer answer = measured();
  answer.body.set_verified(false);
  EXPECT_THAT(text_of(answer), IsGolden());
  answer.outcome = Outcome::wrong_result;  // then it was, and failed
  EXPECT_THAT(text_of(answer), IsGolden());
}

TEST(OnceJson, IsOneObjectWithPlainNumbers) {
  EXPECT_EQ(json_of(measured()),
            R"({"outcome":"ok","family":"gemm","variant":"blas","runtime":"two\nlines\n","affinity":"0-1",)"
            R"("threads":2,"median_s":0.003,"q1_s":0.002,"q3_s":0.004,"min_s":0.001,"max_s":0.005,)"
            R"("samples":5,"calls_per_sample":1,"stopped_by":"noise","gflops":2.0,"gbps":4.0,)"
            R"("samples_s":[0.005,0.001,0.004,0.002,0.003],"error":1.5e-07,"tolerance":1e-05,)"
            R"("output_hash":"0000000000000000000000000000007f","repeatable":true,"grade":"A",)"
            R"("grade_reasons":[],"inputs":[{"name":"a","summary":"f32[8,8] uniform(0, 1) seed 7",)"
            R"("hash":"abcd","bytes":256}]})");
}

TEST(OnceJson, ListsTheFilesThatTheJobUsed) {
  OnceAnswer answer = measured();
  answer.sources = "pack\tgemm\t/gemm.so\t5\t0123\nvariable\tPATH\t/bin\t-\t-";
  EXPECT_THAT(json_of(answer), IsGolden());
}

TEST(Once, RefusesAPackThatIsNoneAndAFamilyThatItHasNot) {
  SingleJob job;
  job.family = "exampel";
  job.pack = "/nowhere/pack.so";
  const auto nowhere = measure_once(job);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, IsGolden());
  job.pack = build_folder() + "/tests/unit_slot_packs/example.so";
  const auto other = measure_once(job);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, IsGolden());
}

TEST(Once, WrongWordsAreBadInput) {
  EXPECT_EQ(run_once({}), 2);
  EXPECT_EQ(run_once({"--json"}), 2);
  EXPECT_EQ(run_once({"--json", "{}", "more"}), 2);
  EXPECT_EQ(run_once({"{}"}), 2);
  EXPECT_EQ(run_once({"no json"}), 2);
}

}  // namespace
}  // namespace kernsweep
