#include "tests/simulation/coordinator_host.hpp"

#include <utility>

namespace kernsweep::simulation {

using namespace coordinator;

CoordinatorHost::CoordinatorHost(World& world, Network& network, Archive& archive, const Script& script,
                                 const Measurements& measurements)
    : world_(world), network_(network), archive_(archive), script_(script), measurements_(measurements) {
  network_.coordinator = [this](const ConnectionPtr& connection, const ToCoordinator& message) {
    if (!up()) return;
    if (world_.now >= frozen_until_) return receive(connection, message);
    mine(0us, [this, connection, message] { receive(connection, message); });
  };
}

void CoordinatorHost::start() {
  ++life_;
  CoreOptions options;
  options.unplaceable_grace = 10s;
  options.scan_per_turn = 50;
  options.credit_time = 100ms;
  core_ = std::make_unique<Core>(options);
  for (const auto& [sweep, ending] : endings) apply(SweepOver{sweep, ending});
  for (const SweepId sweep : submitted) {
    if (over(sweep)) continue;
    if (cancelled.count(sweep)) {
      endings[sweep] = Ending::stopped;
      apply(SweepOver{sweep, Ending::stopped});
    } else {
      submit(sweep);
    }
  }
  tick();
}

void CoordinatorHost::submit(SweepId id) {
  submitted.insert(id);
  if (!up()) return;
  const Plan& plan = script_.of(id);
  SweepSubmitted sweep;
  sweep.sweep = id;
  sweep.space = script_.plans[id.value - 1];
  sweep.hosts = plan.hosts;
  sweep.priority = plan.priority;
  sweep.asked = asked.emplace(id, plan.asked_first()).first->second;
  sweep.may_ask = sweep.asked < plan.size();
  archive_.fill(sweep);
  for (const auto& [worker, connection] : sessions_) {
    const auto state = core_->worker(worker);
    if (state && !state->draining) hosts_joined[id].insert(host_of_[worker]);
  }
  apply(sweep);
}

void CoordinatorHost::cancel(SweepId sweep) {
  cancelled.insert(sweep);
  if (!submitted.count(sweep)) {
    submitted.insert(sweep);
    endings[sweep] = Ending::stopped;
  } else if (up()) {
    apply(SweepCancelled{sweep});
  }
}

void CoordinatorHost::crash() {
  ++life_;
  core_.reset();
  archive_.crash();
  for (const auto& [worker, connection] : sessions_) network_.break_off(connection);
  sessions_.clear();
  session_of_instance_.clear();
  forgotten_.clear();
  std::erase_if(hosts_joined, [this](const auto& sweep) { return !over(sweep.first); });
  last_worker_ = 0;
  committing_ = false;
}

void CoordinatorHost::ask_to_stop() {
  stopped_ = true;
  for (std::uint32_t i = 1; i <= script_.plans.size(); ++i) {
    cancelled.insert(SweepId{i});
    if (submitted.insert(SweepId{i}).second) endings[SweepId{i}] = Ending::stopped;
  }
  apply(StopAsked{});
}

void CoordinatorHost::drain(std::uint64_t die) {
  if (!up() || sessions_.empty()) return;
  auto session = sessions_.begin();
  std::advance(session, static_cast<std::ptrdiff_t>(die % sessions_.size()));
  apply(WorkerDraining{session->first, "the machine is needed"});
}

void CoordinatorHost::readmit_all() {
  if (!up()) return;
  for (std::uint32_t host = 1; host <= 16; ++host) apply(HostReadmitted{host});
}

void CoordinatorHost::connection_closed(const ConnectionPtr& connection) {
  for (const auto& [worker, line] : sessions_) {
    if (line == connection) return apply(WorkerLeft{worker, "closed its connection"});
  }
}

void CoordinatorHost::mine(Duration delay, std::function<void()> what) {
  const Duration frozen = std::max(frozen_until_ - world_.now, Duration::zero());
  world_.after(std::max(delay, frozen), [this, life = life_, what = std::move(what)] {
    if (life != life_) return;
    if (world_.now < frozen_until_) return mine(0us, what);
    what();
  });
}

void CoordinatorHost::tick() {
  apply(TimePassed{});
  mine(250ms, [this] { tick(); });
}

void CoordinatorHost::receive(const ConnectionPtr& connection, const ToCoordinator& message) {
  std::visit([&](const auto& told) { take(connection, told); }, message);
}

bool CoordinatorHost::knows(const ConnectionPtr& connection, WorkerId worker) {
  const auto session = sessions_.find(worker);
  if (session != sessions_.end() && (network_.unruly || session->second == connection)) return true;
  network_.send(connection, ToWorker(JoinAgain{}));
  return false;
}

// Like the real shell, it passes only messages of a session's own connection to the core; in an unruly
// network the core also sees messages of ended sessions.
bool CoordinatorHost::reaches_core(const ConnectionPtr& connection, WorkerId worker) {
  return knows(connection, worker) || network_.unruly;
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Join& message) {
  const WorkerId worker{++last_worker_};
  WorkerJoined joined{worker, message.host, message.holding};
  if (const auto former = session_of_instance_.find(message.instance);
      former != session_of_instance_.end()) {
    joined.former = former->second;
    sessions_.erase(former->second);
  }
  session_of_instance_[message.instance] = worker;
  sessions_[worker] = connection;
  host_of_[worker] = message.host.host;
  for (const SweepId sweep : submitted) {
    if (!over(sweep)) hosts_joined[sweep].insert(message.host.host);
  }
  network_.send(connection, ToWorker(Welcome{worker}));
  apply(joined);
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Beat& message) {
  if (knows(connection, message.worker)) apply(WorkerHeard{message.worker});
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Outcomes& message) {
  if (reaches_core(connection, message.worker)) apply(OutcomesArrived{message.worker, message.arrivals});
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Returned& message) {
  if (reaches_core(connection, message.worker)) apply(JobsReturned{message.worker, message.attempts});
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Draining& message) {
  if (knows(connection, message.worker)) apply(WorkerDraining{message.worker, "it wants to leave"});
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Goodbye& message) {
  if (reaches_core(connection, message.worker)) apply(WorkerLeft{message.worker, "said goodbye"});
}

void CoordinatorHost::apply(const Event& event) {
  std::vector<Action> actions;
  core_->apply(world_.now + clock_, event, actions);
  if (const auto broken = core_->check_invariants()) world_.violated("in the coordinator: " + *broken);
  for (const Action& action : actions) {
    world_.note(action.index());
    std::visit([this](const auto& order) { perform(order); }, action);
  }
}

void CoordinatorHost::send(WorkerId worker, ToWorker message) {
  const auto session = sessions_.find(worker);
  if (session != sessions_.end()) network_.send(session->second, std::move(message));
}

void CoordinatorHost::perform(const SendJobs& action) {
  if (stopped_) world_.violated("jobs sent after the end");
  if (!sessions_.count(action.worker)) world_.violated("jobs for a worker that is not here");
  const auto state = core_->worker(action.worker);
  if (!state || state->draining) world_.violated("jobs for a worker that leaves");
  for (const AttemptId& attempt : action.attempts) {
    world_.note(attempt);
    const SweepId sweep = attempt.job.sweep;
    if (over(sweep) || cancelled.count(sweep)) world_.violated("a job of a sweep that is over is sent");
    if (archive_.answered(attempt.job)) world_.violated("an answered job is sent: " + text_of(attempt));
    if (archive_.knows(attempt)) world_.violated("a stored attempt is sent: " + text_of(attempt));
    if (!script_.of(sweep).wanted(attempt.job.index)) world_.violated("an unwanted job is sent");
    if (attempt.job.index >= asked[sweep]) world_.violated("a job is sent that was not asked for");
    const JobState standing = core_->explain(attempt.job);
    if (standing.standing != Standing::with_worker || standing.worker != action.worker)
      world_.violated("explained wrongly: " + describe(standing));
  }
  send(action.worker, ToWorker(action));
}

void CoordinatorHost::perform(const CancelJobs& action) {
  send(action.worker, ToWorker(action));
}

void CoordinatorHost::perform(const RetractJobs& action) {
  retracted += action.attempts.size();
  for (const AttemptId& attempt : action.attempts) world_.note(attempt);
  send(action.worker, ToWorker(action));
}

void CoordinatorHost::perform(const StoreResult& action) {
  world_.note(action.attempt);
  world_.note(static_cast<std::uint64_t>(action.outcome), action.accepted);
  if (over(action.attempt.job.sweep)) world_.violated("a row after the end of the sweep");
  if (forgotten_.count(action.attempt))
    world_.violated("stored after it was released: " + text_of(action.attempt));
  if (action.payload && measurements_.at(*action.payload).attempt != action.attempt) {
    world_.violated("payload of another attempt: " + text_of(action.attempt));
  }
  const Plan& plan = script_.of(action.attempt.job.sweep);
  const std::uint64_t index = action.attempt.job.index;
  archive_.write(action,
                 action.payload ? std::optional(measurements_.at(*action.payload).hardware) : std::nullopt,
                 plan.has_points() ? plan.point_of(index) : index);
  commit_later();
}

void CoordinatorHost::commit_later() {
  if (committing_ || !archive_.has_waiting()) return;
  committing_ = true;
  const Duration delay = world_.calm                  ? 1ms
                         : world_.random.chance(0.05) ? world_.random.between(50ms, 900ms)
                                                      : world_.random.between(1ms, 20ms);
  mine(delay, [this] {
    const std::vector<AttemptId> committed = archive_.commit();
    // Between the commit and the news of it the coordinator may die.
    mine(world_.random.between(10us, 5ms), [this, committed] {
      apply(ResultsStored{committed});
      committing_ = false;
      commit_later();
    });
  });
}

void CoordinatorHost::perform(const ReleaseResults& action) {
  for (const AttemptId& attempt : action.attempts) {
    world_.note(attempt);
    if (archive_.is_waiting(attempt) && !archive_.answered(attempt.job)) {
      world_.violated("released before its row was committed: " + text_of(attempt));
    }
    if (!archive_.knows(attempt) && !archive_.answered(attempt.job) && !over(attempt.job.sweep))
      forgotten_.insert(attempt);
  }
  send(action.worker, ToWorker(action));
}

void CoordinatorHost::perform(const SendHeartbeat& action) {
  send(action.worker, ToWorker(Beat{action.worker}));
}

void CoordinatorHost::perform(const DismissWorker& action) {
  send(action.worker, ToWorker(Dismissed{}));
  sessions_.erase(action.worker);
}

void CoordinatorHost::perform(const WorkerDrained& action) {
  if (!sessions_.count(action.worker)) world_.violated("who is not here is drained");
  ++drained;
  shut_out += action.reason.find("in a row") != std::string::npos;
  send(action.worker, ToWorker(Goodbye{action.worker}));
  sessions_.erase(action.worker);
}

void CoordinatorHost::perform(const SweepEnded& action) {
  if (over(action.sweep)) world_.violated("the sweep ended twice");
  if (archive_.has_waiting(action.sweep)) world_.violated("the sweep ended before its rows were committed");
  endings[action.sweep] = action.ending;
}

// A request is stored before the core gets it.
void CoordinatorHost::perform(const AskMore& action) {
  world_.note(action.sweep.value);
  ++rounds;
  const Plan& plan = script_.of(action.sweep);
  if (archive_.has_waiting(action.sweep))
    world_.violated("more was asked for before all rows were committed");
  for (std::uint64_t i = 0; plan.hosts == Hosts::any && i < std::min(asked[action.sweep], plan.size());
       ++i) {
    const JobState state = core_->explain({action.sweep, i, 0});
    if (state.standing != Standing::answered && state.standing != Standing::rejected &&
        state.standing != Standing::unknown)
      world_.violated("more was asked for while a job had no outcome: " + describe(state));
  }
  mine(world_.random.between(1ms, 50ms), [this, id = action.sweep] {
    if (over(id)) return;
    const auto next = script_.of(id).asked_after(asked[id]);
    if (!next) return apply(NothingMore{id});
    asked[id] = *next;
    mine(world_.random.between(10us, 5ms), [this, id] { apply(JobsAsked{id, asked[id]}); });
  });
}

void CoordinatorHost::perform(const PointBegunAnew& action) {
  world_.note(action.job);
  ++restarted;
}

void CoordinatorHost::perform(const ScanOn&) {
  mine(1us, [this] { apply(TimePassed{}); });
}

}  // namespace kernsweep::simulation
