// The command `import`: results of other programs, into a database.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/read/foreign_results.hpp"
#include "results/store/store.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

class ImportCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("results_file", file_,
              "JSON of hyperfine, Google Benchmark, Kernel Tuner (cache) or of tuners (T4)")
        .required();
    to.option("--db", database_, "Results database; created if it does not exist").required();
    to.option("--name", name_, "Name of the sweep (default: that of the file, without its ending)");
  }
  int run(const Invocation& given) override;

 private:
  Result<Store::Begun> store_all(const ForeignSweep& sweep, const std::string& content) const;

  std::string file_, database_, name_;
};

// A column without a value does not have booleans.
std::vector<StandsFor> kinds_of(const ForeignSweep& sweep) {
  std::vector<StandsFor> kinds;
  for (std::size_t column = 0; column < sweep.columns.size(); ++column) {
    const auto is_truth = [&](const auto& point) { return point[column].boolean() != nullptr; };
    const auto is_set = [&](const auto& point) { return !point[column].is_null(); };
    const auto set = std::ranges::count_if(sweep.points, is_set);
    const bool truths = set > 0 && std::ranges::count_if(sweep.points, is_truth) == set;
    kinds.push_back(truths ? StandsFor::truth : StandsFor::itself);
  }
  return kinds;
}

// Nothing is committed before all records are stored.
Result<Store::Begun> ImportCommand::store_all(const ForeignSweep& sweep, const std::string& content) const {
  KS_ASSIGN_OR_RETURN(auto store, Store::open_for_writing(database_));
  SweepRecord record;
  record.name = name_;
  record.kernel = sweep.tool;
  record.tags = {{kImportedFrom, sweep.tool}};
  record.file = file_;
  record.text = content;
  record.columns = sweep.columns;
  record.stands_for = kinds_of(sweep);
  record.problem = sweep.problem;
  record.raw_points = sweep.points.size();
  record.processes = sweep.processes;
  record.raw_jobs = record.raw_points * sweep.processes;
  record.identity = digest_of("imported " + name_ + "\n" + content);
  HostRecord host;
  host.name = sweep.host.empty() ? "not known" : sweep.host;
  host.threads = sweep.host_threads;
  host.text = fmt::format("imported from {}: {}", sweep.tool, host.name);
  host.fingerprint = digest_of(host.text);
  KS_ASSIGN_OR_RETURN(const auto host_id, store.add_host(host));
  const auto begun = store.begin_sweep(record);
  if (!begun || begun->existed) return begun;
  const std::string note = "imported from " + sweep.tool;
  for (const ForeignJob& job : sweep.jobs) {
    AttemptRecord attempt;
    attempt.attempt = {{begun->id, job.point + job.process * record.raw_points, 0}, 1};
    attempt.point = job.point;
    attempt.values = sweep.points[job.point];
    attempt.variant = sweep.variant;
    attempt.process = job.process;
    attempt.key = digest_of(fmt::format("{}/{}/{}", record.identity.hex(), job.point, job.process));
    attempt.host = host_id;
    attempt.outcome = job.seconds.empty() ? job.outcome : Outcome::ok;
    attempt.reason = job.failure;
    attempt.notes = note;
    attempt.calls_per_sample = job.calls_per_sample;
    if (!job.seconds.empty()) attempt.summary = summarise(job.seconds);
    attempt.samples = job.seconds;
    if (attempt.summary && job.flops > 0) {
      attempt.flops = job.flops;
      attempt.gflops = job.flops / attempt.summary->median / 1e9;
    }
    if (attempt.summary && job.bytes > 0) {
      attempt.bytes = job.bytes;
      attempt.gbps = job.bytes / attempt.summary->median / 1e9;
    }
    std::vector<MetricRecord> metrics;
    for (const ForeignMetric& metric : job.metrics)
      metrics.push_back({.name = metric.name, .value = metric.value, .unit = metric.unit});
    attempt.metrics = metrics;
    KS_RETURN_IF_ERROR(store.record(attempt));
  }
  KS_RETURN_IF_ERROR(store.commit());
  KS_RETURN_IF_ERROR(store.finish_sweep(begun->id, SweepState::finished, kUnknown));
  return begun;
}

int ImportCommand::run(const Invocation&) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(file_, error)) return report_error(file_ + ": is a folder, not a file");
  std::ifstream file(file_, std::ios::binary);
  if (!file) return report_error(file_ + ": there is no such file, or it cannot be read");
  const std::string content(std::istreambuf_iterator<char>(file), {});
  const auto sweep = read_foreign_results(content);
  if (!sweep) return report_error(file_ + ": " + sweep.error().message);
  if (name_.empty()) name_ = fs::path(file_).stem().string();
  const auto begun = store_all(*sweep, content);
  if (!begun) return report_error(begun.error().message);
  if (begun->existed)
    return print_answer(
        fmt::format("nothing to do: {} holds this file as {}@{}\n", database_, name_, begun->id.value));
  return print_answer(fmt::format("{} of {}, {} each at most: {}@{} in {}; kernsweep best {}\n{}\n",
                                  counted(sweep->points.size(), "point", "points"), sweep->tool,
                                  counted(sweep->processes, "process", "processes"), name_, begun->id.value,
                                  database_, database_, sweep->lacks));
}

}  // namespace

CommandEntry import_command() {
  return {
      "import", "Import results of hyperfine, Google Benchmark or tuners into a database",
      "A row without a usable time becomes a failed run with the reason; a file that was cut off is read\n"
      "up to its last whole row; a file without a usable row is refused.\n" +
          std::string(kAnswerFooter),
      std::make_unique<ImportCommand>()};
}

}  // namespace kernsweep
