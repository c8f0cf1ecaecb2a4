#include "tests/simulation/worker_host.hpp"

#include <utility>

namespace kernsweep::simulation {

namespace {
constexpr Duration kSilenceLimit = 2500ms;
constexpr Duration kTick = 50ms;
constexpr Duration kPatience = 2s;
}  // namespace

WorkerHost::WorkerHost(World& world, Network& network, const Script& script, Measurements& measurements,
                       coordinator::HostFacts facts, std::uint32_t& instances)
    : world_(world),
      network_(network),
      script_(script),
      measurements_(measurements),
      facts_(facts),
      instances_(instances),
      fewest_gpus_(facts.gpus),
      fewest_cores_(facts.cores) {
  const auto deliver = [this](const worker::Event& event) {
    if (world_.now >= frozen_until_) return apply(event);
    when_awake([this, event] { apply(event); });
  };
  const auto killed = [this] {
    ++killed_;
    leave(world_.random.between(10ms, 2s));
  };
  slots_ = std::make_unique<FakeSlots>(world_, script_, layout(), facts_.hardware, measurements_, deliver,
                                       killed);
}

worker::HostLayout WorkerHost::layout() const {
  worker::HostLayout layout;
  layout.cores = facts_.cores;
  layout.gpus = facts_.gpus;
  for (std::uint32_t core = 0; core < layout.cores; ++core) {
    worker::UnitSet cache, numa;
    for (std::uint32_t other = 0; other < layout.cores; ++other) {
      if (other / 2 == core / 2) cache.set(other);
      if (other / 4 == core / 4) numa.set(other);
    }
    layout.cache_of.push_back(cache);
    layout.numa_of.push_back(numa);
  }
  for (std::uint32_t gpu = 0; gpu < layout.gpus; ++gpu)
    layout.near.push_back(layout.numa_of[gpu % layout.cores]);
  return layout;
}

void WorkerHost::when_awake(std::function<void()> what) {
  const Duration wait = std::max(frozen_until_ - world_.now, Duration::zero());
  world_.after(wait, [this, me = instance_, what = std::move(what)] {
    if (me != instance_) return;
    if (world_.now < frozen_until_) return when_awake(what);
    what();
  });
}

void WorkerHost::start() {
  if (up()) return;
  instance_ = ++instances_;
  draining_ = drained_ = false;
  worker::WorkerOptions options;
  options.idle_slots_max = 2;
  options.leave_grace = 200ms;
  options.exit_limit = kExitLimit;
  options.run_jobs_max = 8;
  options.patience = world_.calm ? 0ms : kPatience;
  core_ = std::make_unique<worker::Core>(layout(), options);
  join();
  world_.after(kTick, [this, me = instance_] {
    if (me == instance_) tick();
  });
}

void WorkerHost::crash() {
  instance_ = 0;
  slots_->all_killed();
  core_.reset();
  held_.clear();
  spool_.clear();
  returned_.clear();
  kept_back_.clear();
  gpus_lost_ = cores_lost_ = 0;
  session_.reset();
  frozen_until_ = world_.now;
  network_.break_off(connection_);
}

void WorkerHost::leave(Duration until_next) {
  // Not from inside its own core.
  world_.after(0us, [this, me = instance_, until_next] {
    if (me != instance_ || !up()) return;
    crash();
    world_.after(until_next, [this] { start(); });
  });
}

void WorkerHost::cut(Duration length, bool to_worker, bool to_coordinator) {
  if (to_worker) connection_->to_worker.cut_until = world_.now + length;
  if (to_coordinator) connection_->to_coordinator.cut_until = world_.now + length;
}

void WorkerHost::ask_to_drain() {
  if (draining_) return;
  draining_ = true;
  when_awake([this] {
    apply(worker::DrainAsked{});
    if (session_) network_.send(connection_, ToCoordinator(Draining{*session_}));
  });
}

void WorkerHost::join() {
  network_.break_off(connection_);
  connection_ = std::make_shared<Connection>();
  connection_->worker = [this, me = instance_, line = connection_.get()](const ToWorker& message) {
    if (me != instance_ || connection_.get() != line) return;
    if (world_.now >= frozen_until_) return receive(message);
    when_awake([this, line, message] {
      if (connection_.get() == line) receive(message);
    });
  };
  session_.reset();
  heard_ = joined_ = world_.now;
  returned_.clear();  // what is not in `holding` needs no returning
  coordinator::HostFacts left = facts_;
  left.gpus -= gpus_lost_;
  left.gpus_lost = gpus_lost_;
  left.cores -= cores_lost_;
  left.cores_lost = cores_lost_;
  Join message{instance_, left, {held_.begin(), held_.end()}};
  for (const auto& [attempt, arrival] : spool_) message.holding.push_back(attempt);
  network_.send(connection_, ToCoordinator(std::move(message)));
}

void WorkerHost::receive(const ToWorker& message) {
  heard_ = world_.now;
  std::visit([this](const auto& told) { take(told); }, message);
}

void WorkerHost::take(const Welcome& message) {
  session_ = message.worker;
  beat_ = Instant{};
  if (draining_) network_.send(connection_, ToCoordinator(Draining{*session_}));
  send_returned();
  send_spool();
}

void WorkerHost::send_spool() {
  resent_ = world_.now;
  if (spool_.empty()) return;
  Outcomes all{*session_, {}};
  for (const auto& [attempt, arrival] : spool_) all.arrivals.push_back(arrival);
  network_.send(connection_, ToCoordinator(std::move(all)));
}

void WorkerHost::take(const Dismissed&) {
  session_.reset();
  world_.after(200ms, [this, me = instance_] {
    if (me == instance_ && !session_) join();
  });
}

void WorkerHost::take(const Goodbye&) {
  std::vector<AttemptId> left;
  for (const auto& [attempt, arrival] : spool_) left.push_back(attempt);
  on_leaving(left);
  leave(world_.random.between(10ms, 2s));
}

void WorkerHost::take(const coordinator::SendJobs& message) {
  worker::JobsArrived arrived;
  Outcomes known{session_.value_or(WorkerId{}), {}};
  for (const AttemptId& attempt : message.attempts) {
    if (const auto spooled = spool_.find(attempt); spooled != spool_.end()) {
      known.arrivals.push_back(spooled->second);
      continue;
    }
    held_.insert(attempt);
    arrived.orders.push_back(script_.order(attempt));
  }
  if (session_ && !known.arrivals.empty()) network_.send(connection_, ToCoordinator(std::move(known)));
  apply(arrived);
}

void WorkerHost::take(const coordinator::CancelJobs& message) {
  apply(worker::JobsCancelled{message.attempts});
}

void WorkerHost::take(const coordinator::RetractJobs& message) {
  apply(worker::JobsRetracted{message.attempts});
}

void WorkerHost::take(const coordinator::ReleaseResults& message) {
  for (const AttemptId& attempt : message.attempts) spool_.erase(attempt);
  leave_when_empty();
}

void WorkerHost::leave_when_empty() {
  if (!drained_ || !spool_.empty() || !session_) return;
  network_.send(connection_, ToCoordinator(Goodbye{*session_}));
  leave(world_.random.between(10ms, 2s));
}

void WorkerHost::tick() {
  if (world_.now < frozen_until_) return when_awake([this] { tick(); });
  const Instant clock = world_.now + clock_;
  if (core_->next_deadline() && *core_->next_deadline() <= clock) apply(worker::TimePassed{});
  if (connection_->broken || world_.now - heard_ > kSilenceLimit ||
      (!session_ && world_.now - joined_ > 1s))
    join();
  if (session_) {
    if (world_.now - beat_ >= 500ms) {
      beat_ = world_.now;
      network_.send(connection_, ToCoordinator(Beat{*session_}));
    }
    // Only where the network does what TCP does not, and an outcome may have come before its hello: each
    // that was heard is answered in its session, however long the store takes.
    if (network_.unruly && world_.now - resent_ >= 1s && !calmed_) {
      send_spool();
      calmed_ = !world_.faults;
    }
    leave_when_empty();
  }
  world_.after(kTick, [this, me = instance_] {
    if (me == instance_) tick();
  });
}

void WorkerHost::apply(const worker::Event& event) {
  if (!up()) return;
  std::vector<worker::Action> actions;
  core_->apply(world_.now + clock_, event, actions);
  if (const auto broken = core_->check_invariants()) world_.violated("the worker's core: " + *broken);
  for (const worker::Action& action : actions) {
    world_.note(100 + action.index());
    if (const auto* report = std::get_if<worker::ReportOutcome>(&action)) {
      perform(*report);
    } else if (const auto* returned = std::get_if<worker::ReturnJobs>(&action)) {
      perform(*returned);
    } else if (const auto* kept = std::get_if<worker::KeepBackOutcome>(&action)) {
      slots_->perform(*kept);
      kept_back_[kept->outcome.attempt] = kept->outcome;
    } else if (const auto* told = std::get_if<worker::TellOutcome>(&action)) {
      slots_->perform(*told);
      perform(*told);
    } else if (const auto* gpu = std::get_if<worker::GiveUpGpu>(&action)) {
      slots_->perform(*gpu);
      perform(*gpu);
    } else if (const auto* cores = std::get_if<worker::GiveUpCores>(&action)) {
      slots_->perform(*cores);
      perform(*cores);
    } else if (std::holds_alternative<worker::LookAtHost>(action)) {
      look();
    } else if (std::holds_alternative<worker::Drained>(action)) {
      if (drained_ || !draining_ || !held_.empty()) world_.violated("a worker says drained and is not");
      drained_ = true;
    } else {
      std::visit(
          [this](const auto& order) {
            if constexpr (requires { slots_->perform(order); }) slots_->perform(order);
          },
          action);
    }
  }
  if (const auto* seen = std::get_if<worker::GpuSeen>(&event)) slots_->has_answered(seen->gpu);
  if (core_ && core_->activity().held != held_.size())
    world_.violated("the worker's core holds other jobs than its shell has given it");
}

// Neighbours come and go while there are faults.
void WorkerHost::look() {
  worker::HostSeen seen;
  seen.processors = facts_.cores;
  if (world_.faults && world_.random.chance(0.3)) seen.busy_cores = facts_.cores;
  when_awake([this, seen] { apply(seen); });
}

void WorkerHost::perform(const worker::ReportOutcome& action) {
  world_.note(action.attempt);
  if (held_.erase(action.attempt) == 0)
    world_.violated("outcome of a job not held: " + text_of(action.attempt));
  ++outcomes_;
  coordinator::Arrival arrival{action.attempt, action.outcome,
                               action.stands.empty() && world_.faults && world_.random.chance(0.05),
                               script_.busy(action.attempt), 0};
  if (action.payload) {
    arrival.payload = *action.payload;
  } else {
    measurements_.push_back({action.attempt, facts_.hardware});
    arrival.payload = static_cast<std::uint32_t>(measurements_.size() - 1);
  }
  spool_[action.attempt] = arrival;
  if (session_) network_.send(connection_, ToCoordinator(Outcomes{*session_, {arrival}}));
}

void WorkerHost::perform(const worker::ReturnJobs& action) {
  for (const AttemptId& attempt : action.attempts) {
    if (held_.erase(attempt) == 0) world_.violated("a job not held is returned: " + text_of(attempt));
    returned_.push_back(attempt);
    kept_back_.erase(attempt);
  }
  if (session_) send_returned();
}

void WorkerHost::perform(const worker::TellOutcome& action) {
  auto kept = kept_back_.extract(action.attempt);
  if (kept.empty()) return world_.violated("no outcome was kept back: " + text_of(action.attempt));
  if (action.lost_gpu) kept.mapped().outcome = Outcome::worker_lost;
  perform(kept.mapped());
}

void WorkerHost::perform(const worker::GiveUpGpu&) {
  ++gpus_lost_;
  ++gpus_given_up_;
  fewest_gpus_ = std::min(fewest_gpus_, facts_.gpus - gpus_lost_);
  join();
}

void WorkerHost::perform(const worker::GiveUpCores& action) {
  const auto lost = static_cast<std::uint32_t>(worker::count_cores(action.cores));
  cores_lost_ += lost;
  cores_given_up_ += lost;
  fewest_cores_ = std::min(fewest_cores_, facts_.cores - cores_lost_);
  join();
}

void WorkerHost::send_returned() {
  if (returned_.empty()) return;
  network_.send(connection_, ToCoordinator(Returned{*session_, std::exchange(returned_, {})}));
}

}  // namespace kernsweep::simulation
