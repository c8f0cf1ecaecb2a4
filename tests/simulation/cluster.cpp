#include "tests/simulation/cluster.hpp"

#include <array>
#include <memory>

#include "tests/simulation/agent_host.hpp"
#include "tests/simulation/coordinator_host.hpp"

namespace kernsweep::simulation {

namespace {

using coordination::Ending;
using coordination::HostFacts;

constexpr Instant kFaultsEnd{6s};
constexpr Instant kEnd{400s};

class Cluster {
 public:
  explicit Cluster(std::uint64_t seed)
      : world_(seed),
        network_(world_),
        archive_(world_),
        plan_(std::make_shared<Plan>(seed, 40 + world_.random.below(400))),
        hosts_(world_.random.chance(0.3) ? Hosts::each : Hosts::any),
        stops_(world_.random.chance(0.15)),
        coordinator_(world_, network_, archive_, plan_, measurements_, hosts_) {
    const bool shared_host = world_.random.chance(0.3);
    const std::array<HostFacts, 3> facts = {HostFacts{1, 1 + static_cast<std::uint32_t>(seed % 2), 0, 0},
                                            HostFacts{shared_host ? 1U : 2U, 2, 0, 0},
                                            HostFacts{3, 4, 0, 1}};
    for (const HostFacts& host : facts) {
      agents_[host_count_++] =
          std::make_unique<AgentHost>(world_, network_, *plan_, measurements_, host, instances_);
    }
  }

  Verdict run() {
    coordinator_.start();
    for (auto& agent : agents_) {
      world_.after(world_.random.between(0ms, 500ms), [&agent] { agent->start(); });
    }
    world_.after(600ms, [this] { strike(); });
    if (stops_) {
      world_.after(world_.random.between(100ms, 5s), [this] {
        if (coordinator_.up() && !coordinator_.ending) coordinator_.ask_to_stop();
      });
    }
    while (world_.step(kFaultsEnd) && !coordinator_.ending) {
    }
    world_.faults = false;
    while (world_.step(kEnd) && !coordinator_.ending) {
    }
    check();
    return {world_.violation, world_.hash, archive_.answers().size(),
            archive_.rows(),  crashes_,    seconds(world_.now.since_start)};
  }

 private:
  void strike() {
    if (!world_.faults) return;
    AgentHost& agent = *agents_[world_.random.below(agents_.size())];
    const std::uint64_t kind = world_.random.below(10);
    if (kind < 1 && !stops_ && coordinator_.up()) {
      ++crashes_;
      coordinator_.crash();
      world_.after(world_.random.between(10ms, 1500ms), [this] { coordinator_.start(); });
    } else if (kind < 4 && agent.up()) {
      ++crashes_;
      const ConnectionPtr line = agent.connection();
      agent.crash();
      if (world_.random.chance(0.5)) {
        world_.after(1ms, [this, line] {
          if (coordinator_.up() && !coordinator_.ending) coordinator_.connection_closed(line);
        });
      }
      world_.after(world_.random.between(10ms, 4s), [&agent] { agent.start(); });
    } else if (kind < 7 && agent.up()) {
      agent.break_connection();
    } else if (agent.up()) {
      agent.cut(world_.random.between(50ms, 4s));
    }
    world_.after(world_.random.between(20ms, 900ms), [this] { strike(); });
  }

  bool fits(std::uint64_t index, std::optional<std::uint32_t> host) const {
    for (const auto& agent : agents_) {
      if (host && agent->facts().host != *host) continue;
      if (!plan_->unfit(index, agent->facts())) return true;
    }
    return false;
  }

  void check() {
    if (!world_.violation.empty()) return;
    if (!coordinator_.ending) return world_.violated("the sweep did not end");
    if (*coordinator_.ending == Ending::stopped) {
      if (!stops_) world_.violated("stopped by nobody");
      return;
    }
    std::uint64_t expected = 0;
    const std::set<std::uint32_t> numbers =
        hosts_ == Hosts::any ? std::set<std::uint32_t>{0} : coordinator_.hosts_joined;
    bool all_ok = true;
    for (std::uint64_t index = 0; index < plan_->size(); ++index) {
      for (const std::uint32_t host : numbers) {
        const JobId job{SweepId{7}, index, host};
        const auto answer = archive_.answers().find(job);
        const bool answered = answer != archive_.answers().end();
        if (answered != plan_->wanted(index))
          world_.violated("job " + std::to_string(index) + " has no outcome");
        if (!answered) continue;
        ++expected;
        all_ok = all_ok && answer->second == Outcome::ok;
        const bool placeable = fits(index, hosts_ == Hosts::any ? std::nullopt : std::optional(host));
        if (placeable == (answer->second == Outcome::unplaceable)) {
          world_.violated("job " + std::to_string(index) + " is wrongly called (un)placeable");
        }
      }
    }
    if (hosts_ == Hosts::any && expected != archive_.answers().size()) world_.violated("a job too many");
    if (*coordinator_.ending == Ending::incomplete && all_ok)
      world_.violated("called incomplete for nothing");
  }

  World world_;
  Network network_;
  Archive archive_;
  std::shared_ptr<Plan> plan_;
  Hosts hosts_;
  bool stops_;
  Measurements measurements_;
  CoordinatorHost coordinator_;
  std::uint32_t instances_ = 0;
  std::array<std::unique_ptr<AgentHost>, 3> agents_;
  std::size_t host_count_ = 0;
  std::uint64_t crashes_ = 0;
};

}  // namespace

Verdict run_cluster(std::uint64_t seed) {
  return Cluster(seed).run();
}

}  // namespace kernsweep::simulation
