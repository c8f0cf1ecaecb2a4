// The message of `import` for a file that it does not support.
#include "results/read/foreign_results.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

TEST(ForeignGuess, SaysWhatAFileOfAnotherToolLooksLikeAndWhatToDo) {
  for (const std::string& text : {
           std::string(R"({"machine_info": {}, "benchmarks": [null, {"name": "f", "stats": {"min": 1}}]})"),
           std::string(R"({"benchmarks": [{"runs": [{"values": [1]}]}], "version": "1.0"})"),
           std::string(R"({"context": {}, "benchmarks": [{"runs": [{"stats": {"avg": 1}}]}]})"),
           std::string(R"({"devices": [], "benchmarks": [{"name": "b", "states": []}]})"),
           std::string(R"([{"benchmark": "a.B.c", "mode": "thrpt", "primaryMetric": {"score": 1}}])"),
           std::string(R"({"Title": "T", "HostEnvironmentInfo": {}, "Benchmarks": [{}]})"),
           std::string(R"({"commit_hash": "x", "env_name": "e", "results": {"a": [[1]]}})"),
           std::string(R"([{"model_filename": "m", "avg_ts": 3.5}])"),
           std::string(R"x({"results": [{"name": "n", "median(elapsed)": 1}]})x"),
           std::string(R"({"mean": {"point_estimate": 1}, "median": {"point_estimate": 1}})"),
           std::string(R"([{"bx": 1, "time": 2.0, "times": [2.0], "compile_time": 5}])"),
           std::string(R"([{"command": "a", "mean": 1, "times": [1]}])"),
           std::string(R"([{"name": "BM_a", "real_time": 1}])"),
           std::string(R"({"tune_params_keys": ["a"], "tune_params": {}})"),
           std::string(R"({"sweep": 1, "kernel": "gemm"})"),
           std::string(R"({"a": 1, "b": [], "c\u001b": 2})"),
           std::string("[[1]]"),
           std::string("7"),
           std::string(" \n"),
           std::string("SQLite format 3\0\x10", 18),
           std::string("\x1f\x8b\x08"),
           std::string("\xff\xfe{\0", 4),
           std::string("command,mean,stddev,median,user,system,min,max\nls,1,1,1,1,1,1,1\n"),
           std::string("| Command | Mean [ms] | Min |\n|:---|---:|---:|\n"),
           std::string("Benchmark 1: ls\n  Time (mean \xc2\xb1 \xcf\x83):  1.0 ms\n"),
           std::string("name,iterations,real_time,cpu_time,time_unit\n\"BM\",1,1,1,ns\n"),
           std::string("-----\nBenchmark        Time             CPU   Iterations\n-----\n"),
           std::string("goos: linux\nBenchmarkX-8  100  123 ns/op\n"),
           std::string("sweep: 1\nname: x\n"),
           std::string("<?xml version=\"1.0\"?>\n<Catch2TestRun/>"),
           std::string("a,b,c\n1,2,3\n"),
           std::string("hello"),
           std::string("-----\nBenchmark   Time   CPU Iterations\n-----\nBM_a/1  10 ns 10 ns 1000\n"),
           std::string("Benchmark  Mode Cnt Score Error Units\nA.b  avgt 5 1.0 \xc2\xb1 0.1 ns/op\n"),
           std::string("\"Benchmark\",\"Mode\",\"Threads\"\n\"a.B\",\"avgt\",1\n"),
           std::string("Output template: perf,%engine%,%impl%\nperf,cpu,brg:avx512,,--conv x,1,2\n"),
           std::string("| model         |   size | params | backend |\n| ---- | ----: | ----: | ---- |\n"),
           std::string("| Command  |  Mean [ms] |  Min [ms] |\n|--+--+--|\n"),
           std::string("[cols=\"<,>\"]\n|===\n| Command \n| Mean [ms] \n"),
           std::string("n,time\n1,0.1\n"),
           std::string("n;time\n1;0,1\n"),
           std::string("n\ttime\n1\t0.1\n"),
           std::string("\"a\nb\",time\n\"c\",1\n"),
           std::string("BZh91AY"),
           std::string("\x93NUMPY\x01"),
           std::string("version https://git-lfs.github.com/spec/v1\noid sha256:1\n"),
           std::string(R"({"sweep": "s", "sweep_id": 1, "rows": []})"),
           std::string("{\"sweep\":\"s\",\"sweep_id\":1,\"cache\":\"hot\"}\n"
                       "{\"sweep\":\"s\",\"sweep_id\":1,\"cache\":\"hot\"}\n"),
       }) {
    const auto sweep = read_foreign_results(text);
    ASSERT_FALSE(sweep) << text;
    EXPECT_THAT(sweep.error().message, IsGolden());
  }
}

// With a byte order mark, as editors of Windows write it.
TEST(ForeignGuess, IsNotNeededForTheFormsThatAreRead) {
  const auto sweep =
      read_foreign_results("\xef\xbb\xbf{\"results\": [{\"command\": \"a\", \"times\": [1]}]}");
  ASSERT_TRUE(sweep) << sweep.error().message;
}

// A cache file of a tuner that minimised something else than a time.
TEST(ForeignGuess, NamesTheObjectiveOfATunerWithoutTimes) {
  const auto sweep = read_foreign_results(
      R"({"tune_params_keys": ["n"], "objective": "energy", "cache": {"1": {"n": 1, "energy": 2.5},
                                                                       "2": {"n": 2, "energy": 1.5}}})");
  ASSERT_FALSE(sweep);
  EXPECT_THAT(sweep.error().message, IsGolden());
}

}  // namespace
}  // namespace kernsweep
