#include "cli/show/status_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep {
namespace {

Value whole(std::uint64_t number) {
  return Value(static_cast<std::int64_t>(number));
}

Value text_or_none(const std::string& text) {
  return text.empty() ? Value() : Value(text);
}

// "2 x NVIDIA H200".
std::string text_of(const wire::Gpus& gpus) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const wire::Gpu& gpu : gpus.gpus()) {
    const auto known = std::ranges::find(kinds, gpu.name(), &std::pair<std::string, int>::first);
    if (known == kinds.end()) {
      kinds.emplace_back(gpu.name(), 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : kinds)
    text += (text.empty() ? "" : ", ") + (count > 1 ? fmt::format("{} x {}", count, name) : name);
  return text;
}

std::string text_of_lost_gpus(const wire::WorkerStatus& worker) {
  std::string text;
  for (const wire::LostGpu& lost : worker.gpus().lost())
    text += one_line(fmt::format("worker {} on {} has lost {} {}: {}; start it again when the GPU is back",
                                 worker.number(), worker.name(), lost.name(), lost.uuid(), lost.why()),
                     std::string::npos) +
            "\n";
  return text;
}

std::string text_of_lost_cores(const wire::WorkerStatus& worker) {
  std::string text;
  for (const wire::LostCores& lost : worker.lost_cores())
    text +=
        one_line(fmt::format("worker {} on {} has given up {}; start it again when that process is gone",
                             worker.number(), worker.name(), kernsweep::text_of(lost)),
                 std::string::npos) +
        "\n";
  return text;
}

// Other processes on the worker's GPUs, and reasons why the GPUs were slowed down, when the worker joined.
std::string text_of_disturbed_gpus(const wire::WorkerStatus& worker) {
  std::string text;
  for (const wire::Gpu& gpu : worker.gpus().gpus()) {
    std::string slowed;
    for (const std::string& by : gpu.slowed_by()) slowed += (slowed.empty() ? "" : ", ") + by;
    if (gpu.processes_size() == 0 && slowed.empty()) continue;
    std::string line = fmt::format("worker {} on {}, when it joined: {} {}", worker.number(), worker.name(),
                                   gpu.name(), gpu.uuid());
    if (gpu.processes_size() > 0)
      line += " with " +
              counted(static_cast<std::uint64_t>(gpu.processes_size()), "other process", "other processes");
    if (!slowed.empty()) line += (gpu.processes_size() > 0 ? ", slowed by " : " slowed by ") + slowed;
    text += one_line(line, std::string::npos) + "\n";
  }
  return text;
}

}  // namespace

std::string text_of(const wire::Status& status) {
  std::string text =
      fmt::format("{}; {}; {} jobs/s; results: {}\n",
                  counted(static_cast<std::uint64_t>(status.sweeps_size()), "sweep", "sweeps"),
                  counted(status.workers(), "worker", "workers"), text_of_number(status.jobs_per_s()),
                  status.database());
  if (!status.store_failure().empty())
    text += "the database cannot be written: " + status.store_failure() + "\n";
  if (status.sweeps_size() == 0) return text;
  RowSet rows;
  rows.columns = {"sweep",  "priority", "state",   "jobs",    "ok",
                  "failed", "running",  "no host", "retried", "time"};
  for (const auto& sweep : status.sweeps()) {
    std::string jobs = (sweep.exact() ? "" : "at most ") + text_of_count(sweep.jobs());
    if (sweep.exact() && sweep.most_jobs() > sweep.jobs())
      jobs += ", at most " + text_of_count(sweep.most_jobs());
    rows.rows.push_back({Value(fmt::format("{}@{}", sweep.name(), sweep.number())),
                         Value(std::int64_t{sweep.priority()}), Value(sweep.state()), Value(jobs),
                         whole(sweep.ok()), whole(sweep.failed()), whole(sweep.in_flight()),
                         whole(sweep.waiting_for_host()), whole(sweep.retried()),
                         Value(text_of_wait(sweep.seconds()))});
  }
  return text + text_table(rows);
}

std::string text_of(const wire::Workers& workers) {
  if (workers.workers_size() == 0)
    return "no workers connected; start one with kernsweep worker --join FILE\n";
  TableStyle style;
  style.drop_empty_columns = true;
  RowSet rows;
  rows.columns = {"worker", "host", "cpu",    "cores", "gpus", "state",   "why",
                  "holds",  "ok",   "failed", "heard", "key",  "version", "runs now"};
  std::string notes;
  for (const auto& worker : workers.workers()) {
    std::string active;
    for (const std::string& each : worker.active()) active += (active.empty() ? "" : "; ") + each;
    rows.rows.push_back({Value(std::int64_t{worker.number()}), Value(worker.name()),
                         text_or_none(worker.cpu()), Value(std::int64_t{worker.cores()}),
                         text_or_none(text_of(worker.gpus())), Value(worker.state()),
                         text_or_none(worker.reason()), whole(worker.held()), whole(worker.ok()),
                         whole(worker.failed()), Value(text_of_wait(worker.heard_ago_s()) + " ago"),
                         text_or_none(worker.key()), Value(worker.version()), text_or_none(active)});
    notes += text_of_lost_cores(worker) + text_of_lost_gpus(worker) + text_of_disturbed_gpus(worker);
  }
  return text_table(rows, style) + notes;
}

std::string text_of(const wire::Submitted& submitted) {
  std::string text = fmt::format("{}@{}: ", submitted.name(), submitted.sweep());
  if (submitted.ran_already()) return text + "is already running; nothing was added\n";
  text += fmt::format("submitted, {} before constraints", counted(submitted.jobs(), "job", "jobs"));
  if (submitted.earlier() > 0)
    text += ", " + counted(submitted.earlier(), "has its outcome", "have their outcome") +
            " from an earlier run";
  text += "\n";
  if (!submitted.taken_over().empty()) text += submitted.taken_over() + "\n";
  for (const std::string& line : submitted.again()) text += line + "\n";
  if (submitted.checked_later())
    text += "results of earlier runs are checked when a worker on the host that measured them joins\n";
  return text;
}

}  // namespace kernsweep
