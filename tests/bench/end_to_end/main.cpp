// What Kernsweep itself costs, end to end, and which of its parts, compared with bare ZeroMQ: in one run,
// in interleaved rounds, so that a busy moment of the machine meets all of them. tests/gates has the ratios
// that are held.
//
//   build/.../tests/bench_end_to_end [--rounds 3] [--jobs 300000] [--json]
//
// Times that are to be compared must come from one run of this program; on a machine with other work only
// the ratios mean something.
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "tests/bench/end_to_end/bare.hpp"
#include "tests/bench/end_to_end/figures.hpp"
#include "tests/bench/end_to_end/whole_runs.hpp"

namespace kernsweep::bench {
namespace {

constexpr std::size_t kMessageBytes = 64;

struct Counts {
  std::uint64_t rounds = 3;
  std::uint64_t jobs = 300'000;
  std::uint64_t messages = 1'000'000;
  std::uint64_t points = 100'000'000;
};

void add_times(Figures& figures, const ProcessorTimes& times, std::uint64_t jobs) {
  const auto add = [&](const std::string& who, double seconds) {
    figures.add("CPU per job: " + who, "us", seconds * 1e6 / static_cast<double>(jobs));
  };
  add("coordinator, all", times.coordinator_s());
  add("coordinator, loop", times.loop_s);
  add("coordinator, store thread", times.store_s);
  add("coordinator, ZeroMQ thread", times.messages_s);
  add("worker", times.worker_s);
  add("slots", times.slots_s);
  add("everything", times.all_s());
}

void one_round(const Place& place, const Counts& counts, Figures& figures) {
  const NoopRun noop = run_noop(place, place.folder + "/noop.db", counts.jobs);
  figures.add("noop jobs, a committed row each", "jobs/s", noop.jobs_per_s);
  figures.add("noop jobs, from exec to exit", "jobs/s", noop.whole_jobs_per_s);
  figures.add("findings and --json of these jobs", "s", noop.findings_s);
  figures.add("peak memory of the coordinator, noop jobs", "B",
              static_cast<double>(noop.peak_memory_bytes));
  add_times(figures, noop.times, counts.jobs);
  figures.add("database per job", "B", noop.bytes_per_job);
  figures.add("bare ZeroMQ messages, dealer to router, ipc", "messages/s",
              bare_zeromq_messages_per_s(counts.messages, kMessageBytes));
  const auto many = static_cast<double>(coordinator_peak_bytes(place, counts.points));
  const auto few = static_cast<double>(coordinator_peak_bytes(place, 10));
  figures.add("peak memory of the coordinator, 10 points", "B", few);
  figures.add("memory per pending job", "B", (many - few) / static_cast<double>(counts.points - 10));
}

Figures measure(const Place& place, const Counts& counts) {
  Figures figures;
  for (std::uint64_t round = 0; round < counts.rounds; ++round) {
    std::fprintf(stderr, "round %llu of %llu\n", static_cast<unsigned long long>(round + 1),
                 static_cast<unsigned long long>(counts.rounds));
    one_round(place, counts, figures);
  }
  const double jobs = figures.median("noop jobs, a committed row each");
  figures.add("ratio: jobs to bare messages", "",
              jobs / figures.median("bare ZeroMQ messages, dealer to router, ipc"));
  return figures;
}

std::string load_now() {
  double load[3] = {};
  getloadavg(load, 3);
  return std::to_string(load[0]) + " over 1 minute, " + std::to_string(load[2]) + " over 15";
}

}  // namespace
}  // namespace kernsweep::bench

int main(int argc, char** argv) {
  using namespace kernsweep::bench;
  namespace fs = std::filesystem;
  Counts counts;
  Place place;
  place.kernsweep =
      (fs::canonical("/proc/self/exe").parent_path().parent_path() / "bin/kernsweep").string();
  std::string parent = fs::temp_directory_path().string();
  bool json = false;
  CLI::App app("Whole runs of kernsweep beside bare ZeroMQ", "bench_end_to_end");
  app.add_option("--rounds", counts.rounds, "Interleaved rounds; the median counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--jobs", counts.jobs, "Jobs of a noop run")->check(CLI::PositiveNumber);
  app.add_option("--messages", counts.messages, "Bare messages")->check(CLI::Range(2ULL, 1ULL << 40));
  app.add_option("--points", counts.points, "Points of the large sweep")
      ->check(CLI::Range(11ULL, 1ULL << 40));
  app.add_option("--kernsweep", place.kernsweep, "The binary to measure");
  app.add_option("--folder", parent, "Where to put databases: on the disk that is to be measured");
  app.add_flag("--json", json, "Answer as JSON");
  CLI11_PARSE(app, argc, argv);

  std::string folder = parent + "/kernsweep-bench-XXXXXX";
  if (!mkdtemp(folder.data())) return std::perror(folder.c_str()), 1;
  place.folder = folder;
  int status = 0;
  try {
    const std::string load = load_now();
    const Figures figures = measure(place, counts);
    std::printf("%s\n", json ? figures.json({{"load before", load}, {"load after", load_now()}}).c_str()
                             : figures.table().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_end_to_end: %s\n", error.what());
    status = 1;
  }
  fs::remove_all(folder);
  return status;
}
