#include "cli/commands/run/local_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/commands/run/local_worker.hpp"
#include "cli/show/output.hpp"
#include "cli/show/progress.hpp"
#include "language/check/explain.hpp"
#include "language/check/single_process.hpp"
#include "language/file/replacements_text.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/random_token.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// Counts the jobs, but stops after 200 ms; then the numbers are not exact.
CheckReport quickly_counted(const Expansion& expansion) {
  CheckLimits limits;
  limits.points = 1'000'000;
  limits.time = std::chrono::milliseconds(200);
  return check_report(expansion, limits);
}

// How long the worker waits for a quiet host: not much longer than a short sweep takes. Empty: the usual
// time.
std::string patience_for(const Expansion& expansion) {
  constexpr std::uint64_t kFewJobs = 1000;  // counted at once
  constexpr double kLeast_s = 1, kUsual_s = 10;
  if (expansion.raw_jobs() > kFewJobs) return "";
  const double shortest_s = quickly_counted(expansion).seconds;
  if (shortest_s >= kUsual_s) return "";
  return std::to_string(std::lround(1e3 * std::max(kLeast_s, shortest_s))) + "ms";
}

}  // namespace

Result<CoordinatorSummary> coordinate_watched(const CoordinatorConfig& config, const Expansion* expansion,
                                              bool quiet) {
  std::optional<CheckReport> counted;
  if (expansion) counted = quickly_counted(*expansion);
  const bool known = counted && counted->exact;
  ProgressPrinter printer(
      style_of_stderr(quiet), known ? std::optional(counted->jobs) : std::nullopt,
      known && config.local_worker ? text_of_range(counted->seconds, counted->seconds_most) : std::string(),
      known ? counted->jobs_most : 0);
  std::shared_ptr<const Expansion> own;
  if (expansion) {
    own = std::make_shared<const Expansion>(*expansion);
    for (const std::string& note : own->notes()) printer.note(note);
    const std::string rejected = text_of(rejections_of(*counted), *own, "are");
    if (!rejected.empty()) printer.note(rejected);
    printer.note_when_begun(note_of_single_process(*own, counted->points));
  }
  auto summary = coordinate(config, std::move(own), printer);
  printer.clear();
  if (summary && !summary->failure.empty())
    report_error("the database could not be written: " + summary->failure);
  if (summary && summary->failure.empty() && !summary->low_space.empty()) report_error(summary->low_space);
  if (summary && summary->own && counted) {
    const Rejections at_first = rejections_of(*counted);
    Rejections& met = summary->own->rejections;
    if (!met.exact && (at_first.exact || at_first.rejected > met.rejected)) met = at_first;
  }
  return summary;
}

std::vector<std::string> logging_options(const Invocation& given) {
  std::vector<std::string> options;
  if (given.verbose) options.emplace_back("--verbose");
  if (!given.log.empty()) options.insert(options.end(), {"--log", given.log});
  return options;
}

Result<SweepSummary> run_here(const LocalRun& run, const Expansion& expansion) {
  CoordinatorConfig config;
  config.database = run.database;
  config.replacements = text_of(run.replacements);
  config.again = run.again;
  config.endpoints = {"ipc://@kernsweep-" + digest_of(random_token()).hex()};
  config.token = random_token();
  std::vector<std::string> options = run.worker_options;
  options.insert(options.end(), {"--family", expansion.sweep().kernel});
  if (std::ranges::find(options, "--patience") == options.end())
    if (const std::string patience = patience_for(expansion); !patience.empty())
      options.insert(options.end(), {"--patience", patience});
  SpawnedWorker worker(config.endpoints.front(), config.token, std::move(options));
  KS_RETURN_IF_ERROR(worker.start());
  config.local_worker = &worker;
  KS_ASSIGN_OR_RETURN(auto summary, coordinate_watched(config, &expansion, run.quiet));
  worker.wait();
  return *summary.own;
}

}  // namespace kernsweep
