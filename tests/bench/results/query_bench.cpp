// Questions to a database of a million jobs: each must be answered in under a second, and what tests many
// pairs or sums up each point (Verdict) in under five.
//   build/.../tests/bench_results --benchmark_filter=Query
#include <benchmark/benchmark.h>

#include "results/answer/best/best.hpp"
#include "results/answer/best/sweep_effects.hpp"
#include "results/answer/compare/compare.hpp"
#include "results/read/show.hpp"
#include "results/report/export.hpp"
#include "tests/bench/results/made_sweep.hpp"

namespace kernsweep {
namespace {

Reader opened() {
  return Reader::open(bench::million_jobs().file("million.db")).value();
}

void QueryBest(benchmark::State& state) {
  Reader reader = opened();
  for (auto _ : state) benchmark::DoNotOptimize(best(reader, {}).value());
}
BENCHMARK(QueryBest)->Unit(benchmark::kMillisecond)->UseRealTime();

void QueryEffects(benchmark::State& state) {
  Reader reader = opened();
  for (auto _ : state) benchmark::DoNotOptimize(sweep_effects(reader, "").value());
}
BENCHMARK(QueryEffects)->Unit(benchmark::kMillisecond)->UseRealTime();

void QueryCompare(benchmark::State& state) {
  Reader reader = opened();
  const auto side = [](const char* text) {
    return parse_side(text, [](const std::string&) { return false; }).value();
  };
  const CompareQuestion question{.a = side("variant=onednn"), .b = side("variant=naive")};
  for (auto _ : state) benchmark::DoNotOptimize(compare(reader, reader, question).value());
}
BENCHMARK(QueryCompare)->Unit(benchmark::kMillisecond)->UseRealTime();

void QueryShow(benchmark::State& state) {
  Reader reader = opened();
  for (auto _ : state) benchmark::DoNotOptimize(show(reader, "made/765432").value());
}
BENCHMARK(QueryShow)->Unit(benchmark::kMillisecond)->UseRealTime();

void QuerySql(benchmark::State& state, const std::string& sql) {
  Reader reader = opened();
  for (auto _ : state) benchmark::DoNotOptimize(reader.query(sql).value());
}
BENCHMARK_CAPTURE(QuerySql, count, "select count(*) from made")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(
    QuerySql, group_in_view,
    "select variant, threads, min(median_s), max(gflops) from made where status = 'ok' group by 1, 2")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(QuerySql, ten_fastest,
                  "select threads, variant, median_s from made order by median_s limit 10")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(QuerySql, failures_over_all,
                  "select sweep, reason, count(*) from results where status <> 'ok' group by 1, 2")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(QuerySql, bare_scan, "select sum(median_s) from outcome")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

BENCHMARK_CAPTURE(QuerySql, verdict, "select count(*) from verdict where sweep = 'made'")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

// A consumer that closes the pipe after the first piece.
void QueryExportFirstPiece(benchmark::State& state) {
  Reader reader = opened();
  for (auto _ : state) {
    const auto sink = [](std::string_view) -> Status { return failure("enough"); };
    benchmark::DoNotOptimize(export_rows(reader, {.format = ExportFormat::jsonl}, sink));
  }
}
BENCHMARK(QueryExportFirstPiece)->Unit(benchmark::kMillisecond)->UseRealTime();

void QueryExportAll(benchmark::State& state) {
  Reader reader = opened();
  std::size_t bytes = 0;
  for (auto _ : state) {
    const auto sink = [&](std::string_view piece) -> Status {
      bytes += piece.size();
      return Done{};
    };
    benchmark::DoNotOptimize(export_rows(reader, {}, sink));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(QueryExportAll)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace kernsweep
