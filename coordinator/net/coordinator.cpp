#include "coordinator/net/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/net/shell.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "transport/endpoints.hpp"

namespace kernsweep {
namespace coordinator {
namespace {

constexpr Duration kReportEvery = std::chrono::milliseconds(200);
constexpr Duration kTickEvery = std::chrono::milliseconds(100);
constexpr Duration kPaceOver = std::chrono::seconds(5);
constexpr std::size_t kActiveShown = 4;
constexpr std::chrono::seconds kUnplaceableGrace{30};  // hosts are started one by one, and load engines
constexpr Duration kPartingTime = std::chrono::seconds(3);
constexpr const char* kFarewell = "the coordinator ends";

CoreOptions options_of(const CoordinatorConfig& config) {
  CoreOptions options;
  options.stay = config.stay;
  // Hosts join one after another: a job that fits none of them yet may fit the next one.
  if (!config.local_worker) options.unplaceable_grace = kUnplaceableGrace;
  return options;
}

// Converts the core's counts of rejected jobs to points: every rejected point has the same number of jobs
// (times the number of hosts for `hosts: each`). Rounded up, because one job that was met makes a point
// count.
Rejections rejections_of(const Tally& tally, const EndedSweep& over) {
  Rejections rejections;
  const std::uint64_t points = over.raw_points;
  rejections.raw_points = points;
  rejections.exact = tally.scanned;
  if (points == 0) return rejections;
  const std::uint64_t jobs_of_a_point = tally.size / points;
  if (jobs_of_a_point == 0) return rejections;
  for (std::size_t rule = 0; rule < std::min(tally.unwanted_by.size(), over.filters); ++rule) {
    const std::uint64_t met = tally.unwanted_by[rule];
    rejections.by_rule.push_back((met + jobs_of_a_point - 1) / jobs_of_a_point);
    rejections.rejected += rejections.by_rule.back();
  }
  return rejections;
}

}  // namespace

Shell::Shell(const CoordinatorConfig& config, std::shared_ptr<const Expansion> own, Watcher& watcher,
             Socket socket, KeyRing* ring, MetricsPort* port, WakeUp earlier_read, WakeUp looked)
    : config_(config),
      own_(std::move(own)),
      watcher_(watcher),
      socket_(std::move(socket)),
      ring_(ring),
      port_(port),
      core_(options_of(config)),
      reader_("kernsweep-read", std::move(earlier_read), read_earlier),
      decider_("kernsweep-look", std::move(looked), look_at_contests) {}

void Shell::watch_stop() {
  if (stop_.count() <= stops_seen_) return;
  stop_.acknowledge();
  stops_seen_ = stop_.count();
  if (stops_seen_ >= 2 || sweeps_.empty()) {
    all_over_ = true;
    return;
  }
  watcher_.note(
      "stopping: running jobs are ended, nothing that was measured is lost; Ctrl-C again ends at once");
  apply(StopAsked{});
}

void Shell::report(bool last) {
  if (!last && now_ - reported_ < kReportEvery) return;
  const auto waits = [](const auto& entry) { return !entry.second->waits.empty(); };
  if (!sessions_.empty() && std::ranges::all_of(sessions_, waits)) waited_ += now_ - reported_;
  reported_ = now_;
  pace_.emplace_back(now_, stored_);
  while (pace_.size() > 2 && now_ - pace_.front().first > kPaceOver) pace_.pop_front();
  Progress progress;
  const auto add = [&](const Tally& tally) {
    progress.tally.size += tally.size;
    progress.tally.unwanted += tally.unwanted;
    progress.tally.done += tally.done;
    progress.tally.ok += tally.ok;
    progress.tally.failed += tally.failed;
    progress.tally.earlier += tally.earlier;
    progress.tally.reused += tally.reused;
    progress.tally.in_flight += tally.in_flight;
    progress.tally.parked += tally.parked;
    progress.tally.retried += tally.retried;
    progress.tally.restarted += tally.restarted;
    progress.tally.scanned = progress.tally.scanned && tally.scanned;
  };
  progress.tally.scanned = !sweeps_.empty() || !ended_sweeps_.empty();
  for (const EndedSweep& over : ended_sweeps_) {
    add(core_.tally(over.id));
    progress.further += over.further_jobs;
  }
  for (const auto& [id, sweep] : sweeps_) {
    add(core_.tally(id));
    progress.further += sweep->space.further_jobs();
    progress.open += sweep->open;
    progress.may_ask = progress.may_ask || !sweep->nothing_more;
  }
  progress.workers = static_cast<std::uint32_t>(sessions_.size());
  progress.seconds = seconds(now_ - started_);
  progress.waited_s = seconds(waited_);
  for (const auto& [worker, session] : sessions_) {
    if (progress.waits.empty()) progress.waits = session->waits;
    for (const AttemptId& attempt : session->active) {
      if (progress.active.size() >= kActiveShown) break;
      RunningSweep* const sweep = running_sweep(attempt.job.sweep);
      if (sweep && attempt.job.index < sweep->space.size())
        progress.active.push_back(sweep->space.label(attempt.job.index));
    }
  }
  watcher_.progress(progress);
}

// A user who waits for them can start the missing host, or end a sweep that cannot run.
void Shell::tell_of_unplaced() {
  if (config_.local_worker) return;  // its jobs end at once, with the reason
  for (const auto& [id, sweep] : sweeps_) {
    const auto unplaced = core_.unplaced(id);
    if (!unplaced || unplaced->count == sweep->unplaced_told) continue;
    sweep->unplaced_told = unplaced->count;
    const std::string of = " of " + sweep->name() + "@" + std::to_string(id.value);
    const std::string wait = config_.stay
                                 ? "waiting for a worker that fits"
                                 : "unplaceable in " + std::to_string(kUnplaceableGrace.count()) + " s" +
                                       " if no worker that fits joins (--stay waits longer)";
    watcher_.note(counted(unplaced->count, "job" + of + " fits", "jobs" + of + " fit") +
                  " no host that has joined (" + sweep->space.label(unplaced->first.index) + ": " +
                  unplaced->why + "); " + wait);
  }
}

void Shell::watch_local_worker() {
  const auto how = config_.local_worker->restart();
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
  const std::size_t worker_position = store_ ? store_position + 1 : store_position;
  if (config_.local_worker) poll.add_readable(config_.local_worker->descriptor());
  poll.add_readable(reader_.descriptor());
  poll.add_readable(decider_.descriptor());
  poll.wait(scan_on_ ? Duration::zero() : kTickEvery);
  now_ = monotonic_now();
  watch_keys();
  read_workers();
  watch_connections();
  descriptors_.look(now_);
  read_store();
  look_at_earlier();
  look_at_decisions();
  if (config_.local_worker && poll.readable(worker_position)) watch_local_worker();
  watch_stop();
  if (scan_on_ || now_ - ticked_ >= kTickEvery) {
    scan_on_ = false;
    ticked_ = now_;
    apply(TimePassed{});
    tell_of_unplaced();
  }
  if (!pending_results_.empty()) store_->post(std::exchange(pending_results_, {}));
  report(false);
  publish_metrics();
}

Result<CoordinatorSummary> Shell::serve() {
  now_ = started_ = monotonic_now();
  // Workers may join late, so an unusable database is reported at once.
  if (!config_.local_worker) {
    KS_RETURN_IF_ERROR(open(nullptr));
  }
  // Not before: if the database is in use, the join files belong to the coordinator that uses it.
  if (ring_) {
    KS_RETURN_IF_ERROR(ring_->publish());
  }
  for (const std::string& endpoint : socket_.endpoints()) {
    if (config_.listening) config_.listening(endpoint);
  }
  while (!all_over_ && !refused_) turn();
  if (refused_ && (!store_ || wrong_from_the_start_)) return tl::unexpected(*refused_);
  return finish();
}

// Names the sweeps whose results the worker may discard. Only finished ones: an outcome that was superseded
// may still arrive. Not those with hosts: each: a worker of a new host may hold results that no other has.
wire::ToWorker Shell::goodbye_message(const std::string& reason) const {
  wire::ToWorker message;
  message.mutable_goodbye()->set_reason(reason);
  message.mutable_goodbye()->set_database(database_identity_);
  for (const EndedSweep& over : ended_sweeps_) {
    if (is_whole(over.ending) && over.hosts == Hosts::any)
      message.mutable_goodbye()->add_over(over.id.value);
  }
  return message;
}

// For a peer without a session.
void Shell::send_goodbye(const std::string& peer) {
  const wire::ToWorker message = goodbye_message(kFarewell);
  if (socket_.send_to(peer, message.SerializeAsString())) leaving_.insert(peer);
}

// If a goodbye were lost with its connection, the worker would wait for the next coordinator. So the
// coordinator waits until peers close their connections, and sends the goodbye again to those that
// reconnect meanwhile.
void Shell::wait_until_left() {
  if (std::ranges::none_of(socket_.endpoints(), is_tcp)) return;  // only TCP reports closed connections
  const Instant until = monotonic_now() + kPartingTime;
  Poll poll;
  poll.add(socket_);
  // At least once: there may be an unread hello, and goodbyes are still in the queue.
  do {
    poll.wait(kTickEvery);
    for (int count = 0; count < kReadAtOnce; ++count) {
      const auto received = socket_.receive();
      if (!received) break;
      wire::ToCoordinator message;
      if (!message.ParseFromString(received->bytes) || !message.has_hello()) continue;
      send_goodbye(received->peer);
    }
    for (const std::string& peer : socket_.lost_peers()) leaving_.erase(peer);
    now_ = monotonic_now();
  } while (!leaving_.empty() && now_ < until && stop_.count() < 2);
}

SweepSummary Shell::summary_of(const EndedSweep& over) const {
  SweepSummary summary;
  summary.sweep = over.id;
  summary.name = over.name;
  summary.ending = over.ending;
  summary.cancelled = over.cancelled;
  summary.tally = core_.tally(over.id);
  summary.rejections = rejections_of(summary.tally, over);
  summary.blocks = over.blocks;
  summary.decided = over.decided;
  summary.reused = summary.tally.reused;
  summary.taken_over = over.taken_over;
  summary.again = over.again;
  summary.nothing_to_do = summary.tally.ok + summary.tally.failed == 0 && over.ending == Ending::complete;
  summary.seconds = seconds(over.took);
  return summary;
}

// Answers clients whose sweep was about to start when the coordinator ended.
void Shell::answer_submitters(const StoreThread::Committed& last) {
  for (const auto& [tag, submission] : submissions_) {
    if (submission.peer.empty()) continue;
    const auto begun = std::ranges::find(last.begun, tag, [](const auto& each) { return each.first; });
    const bool kept = begun != last.begun.end() && begun->second;
    wire::Answer reply;
    reply.set_number(submission.request);
    reply.set_error(kept ? "this coordinator ends; the next one of its database continues the sweep"
                         : "this coordinator ends; submit the sweep to the next one");
    answer(submission.peer, reply);
  }
}

CoordinatorSummary Shell::finish() {
  wire::ToWorker message = goodbye_message(kFarewell);
  for (const auto& [worker, session] : sessions_) {
    send(*session, message);
    leaving_.insert(session->peer);
  }
  for (const std::string& peer : asked_to_rejoin_) send_goodbye(peer);
  report(true);
  CoordinatorSummary summary;
  while (!sweeps_.empty()) {
    const auto sweep = sweeps_.begin()->second;
    note(EventKind::ended, sweep->id);
    ended(*sweep, store_failure_.empty() ? Ending::stopped : Ending::store_failed);
  }
  for (const EndedSweep& over : ended_sweeps_) {
    if (over.id == own_sweep_) {
      summary.own = summary_of(over);
    } else {
      summary.others.push_back(summary_of(over));
    }
  }
  if (own_ && !summary.own) {  // stopped before the sweep started
    summary.own.emplace();
    summary.own->name = own_->sweep().name;
    summary.own->ending = Ending::stopped;
  }
  if (store_) {
    store_->finish([&] {
      for (const std::string& line : store_->take_notes()) watcher_.warning(line);
      return stop_.count() < 2;
    });
    const StoreThread::Committed last = store_->take();
    for (const std::string& line : last.notes) watcher_.warning(line);
    if (last.failure && store_failure_.empty()) store_failure_ = *last.failure;
    answer_submitters(last);
  }
  summary.seconds = seconds(now_ - started_);
  wait_until_left();
  summary.failure = store_failure_;
  summary.low_space = low_space_;
  if (refused_) watcher_.note(refused_->message);
  return summary;
}

}  // namespace coordinator

Result<CoordinatorSummary> coordinate(const CoordinatorConfig& config, std::shared_ptr<const Expansion> own,
                                      Watcher& watcher) {
  KS_ASSERT(!config.endpoints.empty());
  KS_RETURN_IF_ERROR(coordinator::prepare_descriptors(!config.local_worker));
  KS_RETURN_IF_ERROR(StopSignal::prepare());
  std::unique_ptr<coordinator::KeyRing> ring;
  if (!config.join.empty()) {
    KS_ASSIGN_OR_RETURN(ring, coordinator::KeyRing::open(config.join, config.advertised));
  }
  KS_ASSIGN_OR_RETURN(auto socket,
                      ring ? ring->listen(config.endpoints) : Socket::router(config.endpoints.front()));
  for (std::size_t i = 1; !ring && i < config.endpoints.size(); ++i) {
    KS_RETURN_IF_ERROR(socket.bind(config.endpoints[i]));
  }
  std::unique_ptr<coordinator::MetricsPort> port;
  if (!config.metrics.empty()) {
    KS_ASSIGN_OR_RETURN(port, coordinator::MetricsPort::open(config.metrics));
    watcher.note("metrics at " + port->url());
  }
  KS_ASSIGN_OR_RETURN(auto earlier_read, WakeUp::make());
  KS_ASSIGN_OR_RETURN(auto looked, WakeUp::make());
  coordinator::Shell shell(config, std::move(own), watcher, std::move(socket), ring.get(), port.get(),
                           std::move(earlier_read), std::move(looked));
  return shell.serve();
}

}  // namespace kernsweep
