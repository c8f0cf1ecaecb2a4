#include "coordinator/net/coordinator.hpp"

#include <utility>

#include "coordinator/net/catalogue.hpp"
#include "coordinator/net/shell.hpp"
#include "coordinator/sweep/catalogue_check.hpp"
#include "shared/home_path.hpp"
#include "shared/installation.hpp"

namespace kernsweep {
namespace coordination {
namespace {

constexpr Duration kReportEvery = std::chrono::milliseconds(200);
constexpr Duration kTickEvery = std::chrono::milliseconds(100);
constexpr std::size_t kActiveShown = 4;
constexpr Duration kUnplaceableGrace = std::chrono::seconds(5);

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

CoreOptions options_of(const CoordinatorConfig& config) {
  CoreOptions options;
  options.stay = config.stay;
  // Hosts come one by one: a job that fits none of them yet may fit the next.
  if (!config.local_agent) options.unplaceable_grace = kUnplaceableGrace;
  return options;
}

}  // namespace

Shell::Shell(const CoordinatorConfig& config, const Expansion& expansion, Watcher& watcher, Socket socket)
    : config_(config),
      expansion_(expansion),
      watcher_(watcher),
      socket_(std::move(socket)),
      core_(options_of(config)),
      space_(expansion, hosts_) {}

SweepRecord Shell::sweep_record() const {
  const Sweep& sweep = expansion_.sweep();
  SweepRecord record;
  record.name = sweep.name;
  record.kernel = sweep.program.empty() ? sweep.kernel : sweep.program;
  record.file = without_home(sweep.file);
  record.text = sweep.text;
  record.replacements = config_.replacements;
  record.tags = sweep.tags;
  record.parameter_count = 0;
  for (const Column& column : sweep.columns) {
    record.columns.push_back(column.name);
    if (!column.is_computed()) record.parameter_count = record.columns.size();
  }
  record.seed = sweep.seed;
  record.raw_points = expansion_.raw_points();
  record.raw_jobs = expansion_.raw_jobs();
  record.processes = sweep.processes;
  record.quick = sweep.quick;
  // The text decides all but what tables hold; the first and the last key change with those.
  std::string content =
      sweep.name + "\n" + config_.replacements + "\n" + std::to_string(record.raw_jobs) + "\n" + sweep.text;
  Point point;
  for (const std::uint64_t index : {std::uint64_t{0}, record.raw_jobs ? record.raw_jobs - 1 : 0}) {
    if (index >= record.raw_jobs) continue;
    const Expansion::Job job = expansion_.job_at(index);
    expansion_.point_at(job.position, point);
    content += expansion_.key_of(point, job).hex();
  }
  record.identity = digest_of(content);
  record.started_unix_s = unix_now();
  return record;
}

Status Shell::begin(const wire::Hello* hello) {
  const Sweep& sweep = expansion_.sweep();
  const bool here = hello && config_.local_agent;
  if (here) {
    if (const Status known = check_against(sweep, expansion_, catalogue_of(hello->catalogue())); !known)
      return known;
  }
  auto store = Store::open_for_writing(config_.database);
  if (!store) return tl::unexpected(store.error());
  const auto id = store->begin_sweep(sweep_record(), config_.again);
  if (!id) return tl::unexpected(id.error());
  sweep_ = id->id;
  ReuseRule rule(here ? hello->host().fingerprint() : "", version_text());
  auto submitted = read_earlier(*store, rule);
  if (!submitted) return tl::unexpected(submitted.error());
  writer_.emplace(space_, sweep, sweep_);
  store_.emplace(std::move(*store), expansion_, "kernsweep " + version_text());
  begun_ = true;
  watcher_.begun(earlier_, reused_);
  apply(std::move(*submitted));
  return Done{};
}

void Shell::watch_stop() {
  if (stop_.count() <= stops_seen_) return;
  stop_.acknowledge();
  stops_seen_ = stop_.count();
  if (resting_ || stops_seen_ >= 2 || !begun_) {
    ending_ = resting_.value_or(Ending::stopped);
    return;
  }
  watcher_.note(
      "stopping: jobs under way are ended, nothing that was measured is lost; Ctrl-C again ends at once");
  apply(StopAsked{});
}

void Shell::report(bool last) {
  if (!last && now_ - reported_ < kReportEvery) return;
  reported_ = now_;
  Progress progress;
  if (begun_) progress.tally = core_.tally(sweep_);
  progress.workers = static_cast<std::uint32_t>(sessions_.size());
  progress.seconds = seconds(now_ - started_);
  for (const auto& [worker, session] : sessions_) {
    for (const AttemptId& attempt : session->active) {
      if (progress.active.size() >= kActiveShown || attempt.job.index >= expansion_.raw_jobs()) break;
      progress.active.push_back(space_.label(attempt.job.index));
    }
  }
  watcher_.progress(progress);
}

void Shell::watch_local_agent() {
  const auto how = config_.local_agent->restart();
  for (const auto& [worker, session] : sessions_) {
    if (!session->local) continue;
    leave(session->id, how ? *how : how.error().message);
    break;
  }
  if (how) {
    watcher_.note("the worker on this machine " + *how + "; started it again");
  } else {
    refused_ = how.error();
  }
}

void Shell::turn() {
  Poll poll;
  poll.add(socket_);
  poll.add_readable(stop_.descriptor());
  const std::size_t store_position = 2;
  if (store_) poll.add_readable(store_->descriptor());
  const std::size_t agent_position = store_ ? store_position + 1 : store_position;
  if (config_.local_agent) poll.add_readable(config_.local_agent->descriptor());
  poll.wait(scan_on_ ? Duration::zero() : kTickEvery);
  now_ = monotonic_now();
  read_agents();
  read_store();
  if (config_.local_agent && poll.readable(agent_position)) watch_local_agent();
  watch_stop();
  if (scan_on_ || now_ - ticked_ >= kTickEvery) {
    scan_on_ = false;
    ticked_ = now_;
    apply(TimePassed{});
  }
  if (!findings_.empty()) store_->post(std::exchange(findings_, {}));
  report(false);
}

Result<SweepSummary> Shell::serve() {
  now_ = started_ = monotonic_now();
  if (config_.listening) config_.listening(socket_.endpoint());
  // Without an agent of our own nobody may come for a while: a database that cannot be used shows at once.
  if (!config_.local_agent) {
    if (const Status began = begin(nullptr); !began) return tl::unexpected(began.error());
  }
  while (!ending_ && !refused_) turn();
  if (refused_ && !begun_) return tl::unexpected(*refused_);
  return finish();
}

Result<SweepSummary> Shell::finish() {
  for (const auto& [worker, session] : sessions_) {
    wire::ToAgent message;
    message.mutable_goodbye()->set_reason("the sweep is over");
    send(*session, message);
  }
  report(true);
  SweepSummary summary;
  summary.sweep = sweep_;
  summary.ending = ending_.value_or(Ending::stopped);
  if (begun_) summary.tally = core_.tally(sweep_);
  summary.reused = reused_;
  summary.nothing_to_do =
      begun_ && summary.tally.ok + summary.tally.failed == 0 && summary.ending == Ending::complete;
  summary.seconds = seconds(now_ - started_);
  if (store_) {
    Store store = store_->finish();
    const bool whole = summary.ending == Ending::complete || summary.ending == Ending::incomplete;
    const Status finished =
        store.finish_sweep(sweep_, whole ? SweepState::finished : SweepState::stopped, unix_now());
    if (!finished && store_failure_.empty()) store_failure_ = finished.error().message;
  }
  summary.failure = store_failure_;
  if (refused_) watcher_.note(refused_->message);
  return summary;
}

}  // namespace coordination

Result<SweepSummary> coordinate(const CoordinatorConfig& config, const Expansion& expansion,
                                Watcher& watcher) {
  auto socket = Socket::router(config.endpoint);
  if (!socket) return tl::unexpected(socket.error());
  coordination::Shell shell(config, expansion, watcher, std::move(*socket));
  return shell.serve();
}

}  // namespace kernsweep
