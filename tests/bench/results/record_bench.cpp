// What a stored job costs the one writer, compared with bare SQLite inserts of 21 columns in the same run.
//   build/.../tests/bench_results --benchmark_filter=Record
#include <benchmark/benchmark.h>

#include <filesystem>

#include "results/sqlite/sqlite.hpp"
#include "results/store/store.hpp"
#include "tests/bench/results/made_sweep.hpp"

namespace kernsweep {
namespace {

// The simple way: one table, one prepared statement, a transaction per batch.
void BareInserts(benchmark::State& state) {
  const bench::Folder folder;
  auto database =
      sqlite::Connection::open(folder.file("bare.db"), sqlite::Connection::Mode::create).value();
  (void)database.execute("pragma journal_mode = wal; pragma synchronous = full").value();
  std::string columns = "c1", marks = "?";
  for (int i = 2; i <= 21; ++i) {
    columns += ", c" + std::to_string(i);
    marks += ", ?";
  }
  (void)database.execute("create table bare (" + columns + ")").value();
  auto begin = database.prepare("begin").value();
  auto commit = database.prepare("commit").value();
  auto insert = database.prepare("insert into bare values (" + marks + ")").value();
  const auto batch = static_cast<std::int64_t>(state.range(0));
  std::int64_t row = 0;
  for (auto _ : state) {
    (void)begin.run().value();
    for (std::int64_t i = 0; i < batch; ++i, ++row) {
      for (int c = 1; c <= 21; ++c) {
        if (c % 3 == 0)
          insert.bind(c, static_cast<double>(row) * 1.1e-6);
        else if (c % 7 == 1)
          insert.bind(c, "abcdef");
        else
          insert.bind(c, row + c);
      }
      (void)insert.run().value();
    }
    (void)commit.run().value();
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(BareInserts)->Arg(256)->Arg(1024)->MinTime(2)->UseRealTime();

void Record(benchmark::State& state, Durability durability) {
  const bench::Folder folder;
  auto store = Store::open_for_writing(folder.file("store.db"), {durability}).value();
  bench::MadeSweep sweep(store);
  const auto batch = static_cast<std::uint64_t>(state.range(0));
  std::uint64_t job = 0;
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < batch; ++i) benchmark::DoNotOptimize(store.record(sweep.attempt(job++)));
    if (!store.commit()) state.SkipWithError("commit failed");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
  state.counters["bytes/job"] =
      static_cast<double>(std::filesystem::file_size(folder.file("store.db"))) / static_cast<double>(job);
}
BENCHMARK_CAPTURE(Record, power_loss, Durability::power_loss)
    ->Arg(1)
    ->Arg(256)
    ->Arg(1024)
    ->MinTime(2)
    ->UseRealTime();
BENCHMARK_CAPTURE(Record, process_crash, Durability::process_crash)
    ->Arg(1)
    ->Arg(256)
    ->Arg(1024)
    ->MinTime(2)
    ->UseRealTime();

// Resume: which of a million jobs have their outcome.
void AnsweredJobs(benchmark::State& state) {
  const bench::Folder& folder = bench::million_jobs();
  auto store = Store::open_for_writing(folder.file("million.db")).value();
  for (auto _ : state) {
    const auto earlier = store
                             .earlier(
                                 SweepId{1}, [](auto&) {}, [](auto&, bool) {})
                             .value();
    if (earlier.answered != bench::kMillion) state.SkipWithError("jobs are missing");
  }
}
BENCHMARK(AnsweredJobs)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace kernsweep
