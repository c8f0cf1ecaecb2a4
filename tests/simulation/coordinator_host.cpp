#include "tests/simulation/coordinator_host.hpp"

#include <utility>

namespace kernsweep::simulation {

using namespace coordination;

namespace {
constexpr SweepId kSweep{7};
}

CoordinatorHost::CoordinatorHost(World& world, Network& network, Archive& archive,
                                 std::shared_ptr<const Plan> plan, const Measurements& measurements,
                                 Hosts hosts)
    : world_(world),
      network_(network),
      archive_(archive),
      plan_(std::move(plan)),
      measurements_(measurements),
      hosts_(hosts) {
  network_.coordinator = [this](const ConnectionPtr& connection, const ToCoordinator& message) {
    if (up()) receive(connection, message);
  };
}

void CoordinatorHost::start() {
  ++life_;
  CoreOptions options;
  options.unplaceable_grace = 10s;
  options.scan_per_turn = 50;
  options.credit_time = 100ms;
  core_ = std::make_unique<Core>(options);
  SweepSubmitted sweep;
  sweep.sweep = kSweep;
  sweep.space = plan_;
  sweep.hosts = hosts_;
  archive_.fill(sweep);
  tick();
  apply(sweep);
}

void CoordinatorHost::crash() {
  ++life_;
  core_.reset();
  archive_.crash();
  for (const auto& [worker, connection] : sessions_) network_.break_off(connection);
  sessions_.clear();
  session_of_instance_.clear();
  forgotten_.clear();
  hosts_joined.clear();
  last_worker_ = 0;
  committing_ = false;
}

void CoordinatorHost::ask_to_stop() {
  asked_to_stop_ = true;
  apply(StopAsked{});
}

void CoordinatorHost::connection_closed(const ConnectionPtr& connection) {
  for (const auto& [worker, line] : sessions_) {
    if (line == connection) return apply(WorkerLeft{worker, "closed its connection"});
  }
}

void CoordinatorHost::mine(Duration delay, std::function<void()> what) {
  world_.after(delay, [this, life = life_, what = std::move(what)] {
    if (life == life_) what();
  });
}

void CoordinatorHost::tick() {
  if (core_ && !ending) apply(TimePassed{});
  mine(250ms, [this] { tick(); });
}

void CoordinatorHost::receive(const ConnectionPtr& connection, const ToCoordinator& message) {
  std::visit([&](const auto& told) { take(connection, told); }, message);
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
  if (!ending) hosts_joined.insert(message.host.host);
  network_.send(connection, ToAgent(Welcome{worker}));
  apply(joined);
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Beat& message) {
  if (!sessions_.count(message.worker)) return network_.send(connection, ToAgent(JoinAgain{}));
  apply(WorkerHeard{message.worker});
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Outcomes& message) {
  if (!sessions_.count(message.worker)) network_.send(connection, ToAgent(JoinAgain{}));
  apply(OutcomesArrived{message.worker, message.arrivals});
}

void CoordinatorHost::take(const ConnectionPtr& connection, const Returned& message) {
  if (!sessions_.count(message.worker)) network_.send(connection, ToAgent(JoinAgain{}));
  apply(JobsReturned{message.worker, message.attempts});
}

void CoordinatorHost::apply(const Event& event) {
  std::vector<Action> actions;
  core_->apply(world_.now, event, actions);
  for (const Action& action : actions) {
    world_.note(action.index());
    std::visit([this](const auto& order) { perform(order); }, action);
  }
}

void CoordinatorHost::send(WorkerId worker, ToAgent message) {
  const auto session = sessions_.find(worker);
  if (session != sessions_.end()) network_.send(session->second, std::move(message));
}

void CoordinatorHost::perform(const SendJobs& action) {
  if (asked_to_stop_ || ending) world_.violated("jobs sent after the end");
  if (!sessions_.count(action.worker)) world_.violated("jobs for a worker that is not here");
  for (const AttemptId& attempt : action.attempts) {
    world_.note(attempt);
    if (archive_.answered(attempt.job)) world_.violated("an answered job is sent: " + text_of(attempt));
    if (archive_.knows(attempt)) world_.violated("a stored attempt is sent: " + text_of(attempt));
    if (!plan_->wanted(attempt.job.index)) world_.violated("an unwanted job is sent");
  }
  send(action.worker, ToAgent(action));
}

void CoordinatorHost::perform(const CancelJobs& action) {
  send(action.worker, ToAgent(action));
}

void CoordinatorHost::perform(const StoreResult& action) {
  world_.note(action.attempt);
  world_.note(static_cast<std::uint64_t>(action.outcome), action.accepted);
  if (ending) world_.violated("a row after the end of the sweep");
  if (forgotten_.count(action.attempt))
    world_.violated("stored after it was released: " + text_of(action.attempt));
  if (action.payload && measurements_.at(*action.payload) != action.attempt) {
    world_.violated("payload of another attempt: " + text_of(action.attempt));
  }
  archive_.write(action);
  commit_later();
}

void CoordinatorHost::commit_later() {
  if (committing_ || !archive_.has_waiting()) return;
  committing_ = true;
  const Duration delay =
      world_.random.chance(0.05) ? world_.random.between(50ms, 900ms) : world_.random.between(1ms, 20ms);
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
    if (!archive_.knows(attempt) && !archive_.answered(attempt.job) && !ending) forgotten_.insert(attempt);
  }
  send(action.worker, ToAgent(action));
}

void CoordinatorHost::perform(const SendHeartbeat& action) {
  send(action.worker, ToAgent(Beat{action.worker}));
}

void CoordinatorHost::perform(const DismissWorker& action) {
  send(action.worker, ToAgent(Dismissed{}));
  sessions_.erase(action.worker);
}

void CoordinatorHost::perform(const SweepEnded& action) {
  if (ending) world_.violated("the sweep ended twice");
  if (archive_.has_waiting()) world_.violated("the sweep ended before its rows were committed");
  ending = action.ending;
}

void CoordinatorHost::perform(const ScanOn&) {
  mine(1us, [this] {
    if (!ending) apply(TimePassed{});
  });
}

}  // namespace kernsweep::simulation
