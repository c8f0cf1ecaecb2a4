#include "tests/bench/end_to_end/whole_runs.hpp"

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "results/sqlite/sqlite.hpp"

namespace kernsweep::bench {
namespace {

using sqlite::Connection;

constexpr double kPatience_s = 60;  // for a first row, on however busy a machine

// Two axes where one would be too long a list for a range, so that any count of points is a product.
std::string write_sweep(const Place& place, const std::string& name, std::uint64_t points,
                        const std::string& kernel) {
  std::uint64_t across = 1;
  while (points / across > 100'000 && points % (across * 10) == 0) across *= 10;
  const std::string path = place.folder + "/" + name + ".yaml";
  std::ofstream file(path);
  file << "# What does Kernsweep itself cost for each job?\nsweep: 1\nname: " << name
       << "\nkernel: " << kernel << "\naxes:\n  i: {range: [1, " << points / across << "]}\n";
  if (across > 1) file << "  j: {range: [1, " << across << "]}\n";
  if (kernel == "sleep") file << "  seconds: [0.05]\n";
  file << "verify: false\nmeasure: {processes: 1, alone_on: core, warmup: {min_runs: 0, min_time: 0},\n"
          "          samples: {min: 1, max: 1, min_time: 0}}\n";
  return path;
}

void remove_database(const std::string& path) {
  for (const char* part : {"", "-wal", "-shm", ".lock"}) std::filesystem::remove(path + part);
}

std::int64_t count(const std::string& database, const std::string& what) {
  auto connection = Connection::open(database, Connection::Mode::read);
  if (!connection) return -1;
  return connection->integer("select count(*) from outcome " + what).value_or(-1);
}

// How long the sweep took, as it is stored.
double sweep_s(const std::string& database) {
  auto connection = Connection::open(database, Connection::Mode::read).value();
  const std::int64_t us = connection
                              .integer(
                                  "select cast((ended_unix_s - started_unix_s) * 1e6 as integer) "
                                  "from sweep")
                              .value();
  return static_cast<double>(us) * 1e-6;
}

void expect_rows(const std::string& database, std::uint64_t jobs) {
  const std::int64_t rows = count(database, "");
  const std::int64_t ok = count(database, "where status = 'ok' and reused = 0");
  const auto wanted = static_cast<std::int64_t>(jobs);
  if (rows == wanted && ok == wanted) return;
  throw std::runtime_error(database + " has " + std::to_string(rows) + " rows, " + std::to_string(ok) +
                           " of them ok; expected " + std::to_string(jobs));
}

void expect_status(Program& program, int expected) {
  const int status = program.wait();
  if (status == expected) return;
  throw std::runtime_error("kernsweep ended with status " + std::to_string(status) + ", not " +
                           std::to_string(expected) + "; it said: " + program.errors() + program.answer());
}

bool has_row(const std::string& database) {
  if (!std::filesystem::exists(database)) return false;
  auto connection = Connection::open(database, Connection::Mode::read);
  return connection && connection->integer("select exists (select 1 from outcome)").value_or(0) == 1;
}

void await_first_row(Program& program, const std::string& database) {
  const double start = clock_s();
  while (!has_row(database)) {
    if (!program.run_for(1) && !has_row(database))
      throw std::runtime_error("it ended without a row: " + program.errors());
    if (clock_s() - start > kPatience_s) throw std::runtime_error("no row yet: " + program.errors());
  }
}

// Either it was stopped in time, or it had ended before.
void stop(Program& program) {
  program.signal(SIGINT);
  if (const int status = program.wait(); status != 3 && status != 0) {
    throw std::runtime_error("a stopped run ended with status " + std::to_string(status) +
                             "; its stderr: " + program.errors());
  }
}

}  // namespace

NoopRun run_noop(const Place& place, const std::string& database, std::uint64_t jobs) {
  const std::string sweep = write_sweep(place, "noop", jobs, "noop");
  remove_database(database);
  Program telling(place.kernsweep, {"run", sweep, "--db", database, "--json"}, place.folder);
  expect_status(telling, 0);
  const auto answer = nlohmann::json::parse(telling.answer(), nullptr, false);
  if (!answer.is_object() || answer.value("ok", std::uint64_t{0}) != jobs) {
    throw std::runtime_error("the answer of --json does not say that all jobs are ok");
  }
  remove_database(database);
  Program program(place.kernsweep, {"run", sweep, "--db", database, "--quiet"}, place.folder);
  expect_status(program, 0);
  expect_rows(database, jobs);
  NoopRun run;
  const auto count_of_jobs = static_cast<double>(jobs);
  run.jobs_per_s = count_of_jobs / sweep_s(database);
  run.whole_jobs_per_s = count_of_jobs / program.wall_s();
  run.findings_s = telling.wall_s() - program.wall_s();
  run.bytes_per_job = static_cast<double>(std::filesystem::file_size(database)) / count_of_jobs;
  run.peak_memory_bytes = program.peak_memory_bytes();
  run.times = program.times();
  return run;
}

std::uint64_t coordinator_peak_bytes(const Place& place, std::uint64_t points) {
  const std::string database = place.folder + "/memory.db";
  remove_database(database);
  const std::string sweep = write_sweep(place, "memory", points, "sleep");
  Program program(place.kernsweep, {"run", sweep, "--db", database, "--quiet"}, place.folder);
  await_first_row(program, database);
  program.observe();
  const std::uint64_t peak = program.peak_memory_bytes();
  stop(program);
  remove_database(database);
  return peak;
}

}  // namespace kernsweep::bench
