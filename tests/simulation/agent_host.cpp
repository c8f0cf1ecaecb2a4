#include "tests/simulation/agent_host.hpp"

#include <utility>

namespace kernsweep::simulation {

namespace {
constexpr Duration kSilenceLimit = 2500ms;
constexpr Duration kTick = 50ms;
}  // namespace

AgentHost::AgentHost(World& world, Network& network, const Plan& plan, Measurements& measurements,
                     coordination::HostFacts facts, std::uint32_t& instances)
    : world_(world),
      network_(network),
      plan_(plan),
      measurements_(measurements),
      facts_(facts),
      instances_(instances) {}

agency::Stage AgentHost::stage() const {
  agency::Stage stage;
  stage.cores = facts_.cores;
  for (std::uint32_t core = 0; core < stage.cores; ++core) {
    agency::CoreSet cache, numa;
    for (std::uint32_t other = 0; other < stage.cores; ++other) {
      if (other / 2 == core / 2) cache.set(other);
      if (other / 4 == core / 4) numa.set(other);
    }
    stage.cache_of.push_back(cache);
    stage.numa_of.push_back(numa);
  }
  return stage;
}

void AgentHost::start() {
  instance_ = ++instances_;
  agency::AgentOptions options;
  options.idle_slots_max = 2;
  options.setup_grace = 200ms;
  options.run_jobs_max = 8;
  core_ = std::make_unique<agency::Core>(stage(), options);
  if (!slots_) {
    slots_ = std::make_unique<FakeSlots>(world_, plan_, stage(), measurements_,
                                         [this](const agency::Event& event) { apply(event); });
  }
  join();
  world_.after(kTick, [this, me = instance_] {
    if (me == instance_) tick();
  });
}

void AgentHost::crash() {
  instance_ = 0;
  slots_->all_killed();
  core_.reset();
  held_.clear();
  spool_.clear();
  returned_.clear();
  session_.reset();
  network_.break_off(connection_);
}

void AgentHost::join() {
  network_.break_off(connection_);
  connection_ = std::make_shared<Connection>();
  connection_->agent = [this, me = instance_, line = connection_.get()](const ToAgent& message) {
    if (me == instance_ && connection_.get() == line) receive(message);
  };
  session_.reset();
  heard_ = joined_ = world_.now;
  returned_.clear();  // what is not in `holding` needs no returning
  Join message{instance_, facts_, {held_.begin(), held_.end()}};
  for (const auto& [attempt, arrival] : spool_) message.holding.push_back(attempt);
  network_.send(connection_, ToCoordinator(std::move(message)));
}

void AgentHost::receive(const ToAgent& message) {
  heard_ = world_.now;
  std::visit([this](const auto& told) { take(told); }, message);
}

void AgentHost::take(const Welcome& message) {
  session_ = message.worker;
  resent_ = beat_ = Instant{};
  send_returned();
}

void AgentHost::take(const coordination::SendJobs& message) {
  agency::JobsArrived arrived;
  for (const AttemptId& attempt : message.attempts) {
    if (spool_.count(attempt)) continue;
    held_.insert(attempt);
    arrived.orders.push_back(plan_.order(attempt));
  }
  apply(arrived);
}

void AgentHost::take(const coordination::CancelJobs& message) {
  apply(agency::JobsCancelled{message.attempts});
}

void AgentHost::take(const coordination::ReleaseResults& message) {
  for (const AttemptId& attempt : message.attempts) spool_.erase(attempt);
}

void AgentHost::tick() {
  if (core_->next_deadline() && *core_->next_deadline() <= world_.now) apply(agency::TimePassed{});
  if (connection_->broken || world_.now - heard_ > kSilenceLimit ||
      (!session_ && world_.now - joined_ > 1s))
    join();
  if (session_) {
    if (world_.now - beat_ >= 500ms) {
      beat_ = world_.now;
      network_.send(connection_, ToCoordinator(Beat{*session_}));
    }
    if (world_.now - resent_ >= 1s && !spool_.empty()) {
      resent_ = world_.now;
      Outcomes again{*session_, {}};
      for (const auto& [attempt, arrival] : spool_) again.arrivals.push_back(arrival);
      network_.send(connection_, ToCoordinator(std::move(again)));
    }
  }
  world_.after(kTick, [this, me = instance_] {
    if (me == instance_) tick();
  });
}

void AgentHost::apply(const agency::Event& event) {
  std::vector<agency::Action> actions;
  core_->apply(world_.now, event, actions);
  for (const agency::Action& action : actions) {
    world_.note(100 + action.index());
    if (const auto* report = std::get_if<agency::ReportOutcome>(&action)) {
      perform(*report);
    } else if (const auto* returned = std::get_if<agency::ReturnJobs>(&action)) {
      perform(*returned);
    } else {
      std::visit(
          [this](const auto& order) {
            if constexpr (requires { slots_->perform(order); }) slots_->perform(order);
          },
          action);
    }
  }
}

void AgentHost::perform(const agency::ReportOutcome& action) {
  world_.note(action.attempt);
  if (held_.erase(action.attempt) == 0)
    world_.violated("outcome of a job not held: " + text_of(action.attempt));
  ++outcomes_;
  coordination::Arrival arrival{action.attempt, action.outcome, world_.faults && world_.random.chance(0.05),
                                plan_.busy(action.attempt.job.index), 0};
  if (action.payload) {
    arrival.payload = *action.payload;
  } else {
    measurements_.push_back(action.attempt);
    arrival.payload = static_cast<std::uint32_t>(measurements_.size() - 1);
  }
  spool_[action.attempt] = arrival;
  if (session_) network_.send(connection_, ToCoordinator(Outcomes{*session_, {arrival}}));
}

void AgentHost::perform(const agency::ReturnJobs& action) {
  for (const AttemptId& attempt : action.attempts) {
    if (held_.erase(attempt) == 0) world_.violated("a job not held is returned: " + text_of(attempt));
    returned_.push_back(attempt);
  }
  if (session_) send_returned();
}

void AgentHost::send_returned() {
  if (returned_.empty()) return;
  network_.send(connection_, ToCoordinator(Returned{*session_, std::exchange(returned_, {})}));
}

}  // namespace kernsweep::simulation
