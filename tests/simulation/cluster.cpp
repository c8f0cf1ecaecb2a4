#include "tests/simulation/cluster.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "tests/simulation/coordinator_host.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/worker_host.hpp"

namespace kernsweep::simulation {

namespace {

using coordinator::Ending;
using coordinator::HostFacts;

constexpr Duration kFaultsEnd = 6s;
constexpr Instant kEnd{400s};

class Cluster {
 public:
  explicit Cluster(std::uint64_t seed)
      : world_(seed),
        network_(world_),
        archive_(world_),
        faults_(draw_faults(world_.random, 600ms, kFaultsEnd)),
        stops_(world_.random.chance(0.1)),
        coordinator_(world_, network_, archive_, script_, measurements_) {
    network_.unruly = world_.random.chance(0.3);
    const std::uint64_t sweeps = 1 + world_.random.below(3);
    for (std::uint64_t i = 0; i < sweeps; ++i) {
      const Hosts hosts = world_.random.chance(0.25) ? Hosts::each : Hosts::any;
      const std::uint64_t size = 20 + world_.random.below(300);
      const auto priority = static_cast<std::int32_t>(world_.random.below(3));
      script_.plans.push_back(
          std::make_shared<Plan>(mix_hash(seed, i), size, hosts, priority, 1 + mix_hash(seed, 40 + i) % 3));
    }
    add_workers(seed);
  }

  Verdict run() {
    set_up();
    while (world_.step(Instant{kFaultsEnd}) && !coordinator_.over()) {
    }
    world_.faults = false;
    for (auto& worker : workers_) worker->let_all_fail(false);
    // Failures that were spooled before may quarantine a host once more.
    for (const Duration wait : {0s, 20s}) {
      ask_after(wait, [this] { coordinator_.readmit_all(); });
    }
    while (world_.step(kEnd) && !coordinator_.over()) {
    }
    check_outcomes();
    const Instant quiet = world_.now + 8s;
    while (world_.step(quiet)) {
    }
    check_rest();
    std::uint64_t killed = 0, gpus_given_up = 0, cores_given_up = 0;
    for (auto& worker : workers_) {
      killed += worker->killed();
      gpus_given_up += worker->gpus_given_up();
      cores_given_up += worker->cores_given_up();
    }
    decltype(Verdict::faults_of) of_kind{};
    for (const Fault& fault : faults_) ++of_kind[static_cast<std::size_t>(fault.kind)];
    return {world_.violation,
            world_.hash,
            archive_.answers().size(),
            archive_.rows(),
            crashes_ + killed,
            faults_.size(),
            of_kind,
            script_.plans.size(),
            coordinator_.retracted,
            coordinator_.drained,
            coordinator_.shut_out,
            gpus_given_up,
            cores_given_up,
            coordinator_.restarted,
            coordinator_.rounds,
            seconds(world_.now.since_start)};
  }

 private:
  void add_workers(std::uint64_t seed) {
    const bool shared_host = world_.random.chance(0.3);
    std::vector<HostFacts> facts = {HostFacts{1, 1 + static_cast<std::uint32_t>(seed % 2), 0, 0},
                                    HostFacts{shared_host ? 1U : 2U, 2, seed % 3 == 0, 0},
                                    HostFacts{3, 4, 2, 1}};
    const std::uint64_t more = world_.random.chance(0.2) ? world_.random.below(9) : 0;
    for (std::uint32_t i = 0; i < more; ++i) facts.push_back({4 + i, 1 + i % 3, i % 4, i % 2});
    for (HostFacts& host : facts) {
      host.hardware = static_cast<std::uint32_t>(mix_hash(seed, 60 + host.host) % (1 + seed % 4));
      workers_.push_back(
          std::make_unique<WorkerHost>(world_, network_, script_, measurements_, host, instances_));
      workers_.back()->on_leaving = [this](const std::vector<AttemptId>& left) {
        // A restarted coordinator reuses numbers of its former life: there may be two results of one
        // number, and one is enough.
        if (coordinator_.lives() > 1) return;
        for (const AttemptId& attempt : left) {
          if (archive_.is_waiting(attempt))
            world_.violated("sent away before its row was committed: " + text_of(attempt));
          if (archive_.is_waiting(attempt.job) && !network_.unruly)
            world_.violated("sent away before it was answered: " + text_of(attempt));
        }
      };
    }
  }

  void set_up() {
    coordinator_.submit(SweepId{1});
    coordinator_.start();
    for (std::uint32_t i = 2; i <= script_.plans.size(); ++i) {
      ask_after(world_.random.between(0ms, 4s), [this, i] { submit(SweepId{i}); });
    }
    for (auto& worker : workers_) {
      world_.after(world_.random.between(0ms, 500ms), [&worker] { worker->start(); });
    }
    for (const Fault& fault : faults_) {
      world_.after(fault.at, [this, &fault] { strike(fault); });
    }
    if (world_.random.chance(0.3)) {
      const SweepId sweep{1 + static_cast<std::uint32_t>(world_.random.below(script_.plans.size()))};
      ask_after(world_.random.between(100ms, 5s), [this, sweep] {
        if (!coordinator_.endings.count(sweep)) coordinator_.cancel(sweep);
      });
    }
    if (!stops_) return;
    ask_after(world_.random.between(100ms, 5s), [this] {
      if (coordinator_.up() && !coordinator_.over()) coordinator_.ask_to_stop();
    });
  }

  // A frozen process handles it later.
  void ask_after(Duration delay, std::function<void()> what) {
    world_.after(delay, [this, what = std::move(what)] {
      if (coordinator_.up() && coordinator_.frozen()) return ask_after(10ms, what);
      what();
    });
  }

  void submit(SweepId sweep) {
    if (!coordinator_.submitted.count(sweep)) coordinator_.submit(sweep);
  }

  void strike(const Fault& fault) {
    if (!world_.faults) return;
    WorkerHost& worker = *workers_[fault.who % workers_.size()];
    const bool back = fault.who & 1024;
    switch (fault.kind) {
      case FaultKind::coordinator_crash:
        return crash_coordinator(fault);
      case FaultKind::coordinator_frozen:
        return coordinator_.freeze(fault.length);
      case FaultKind::coordinator_clock:
        return coordinator_.leap(back ? -1h : 3h);
      case FaultKind::drained_by_coordinator:
        return ask_after(0s, [this, die = fault.who >> 16] { coordinator_.drain(die); });
      default:
        break;
    }
    if (!worker.up()) return;
    switch (fault.kind) {
      case FaultKind::worker_crash:
        return crash(worker, fault);
      case FaultKind::worker_frozen:
        return worker.freeze(fault.length);
      case FaultKind::worker_clock:
        return worker.leap(back ? -10ms : 2h);
      case FaultKind::cut_both:
        return worker.cut(fault.length, true, true);
      case FaultKind::cut_to_worker:
        return worker.cut(fault.length, true, false);
      case FaultKind::cut_to_coordinator:
        return worker.cut(fault.length, false, true);
      case FaultKind::drained_by_itself:
        return worker.ask_to_drain();
      case FaultKind::host_broken:
        return worker.let_all_fail(true);
      case FaultKind::gpu_dies:
        return worker.let_gpu_die(fault.who >> 16);
      case FaultKind::slots_hang:
        return worker.let_slots_hang(1 + static_cast<int>((fault.who >> 16) % 2));
      default:
        return worker.break_connection();
    }
  }

  void crash_coordinator(const Fault& fault) {
    if (stops_ || !coordinator_.up()) return;
    ++crashes_;
    coordinator_.crash();
    world_.after(fault.length / 3, [this] { coordinator_.start(); });
  }

  void crash(WorkerHost& worker, const Fault& fault) {
    ++crashes_;
    const ConnectionPtr line = worker.connection();
    worker.crash();
    if (fault.noticed) {
      ask_after(1ms, [this, line] {
        if (coordinator_.up()) coordinator_.connection_closed(line);
      });
    }
    // Some stay away for so long that what they measured is restarted elsewhere.
    const bool long_away = fault.who % 4096 < 1536;
    stayed_away_ = stayed_away_ || long_away;
    const Duration away = long_away ? fault.length + 20s : fault.length;
    world_.after(away, [&worker] { worker.start(); });
  }

  // Some worker can run it, with all cores and GPUs, or even with the fewest that it ever had.
  bool fits(const Plan& plan, std::uint64_t index, std::optional<std::uint32_t> host, bool fewest) const {
    for (const auto& worker : workers_) {
      if (host && worker->facts().host != *host) continue;
      HostFacts facts = worker->facts();
      if (fewest) facts.gpus = worker->fewest_gpus();
      if (fewest) facts.cores = worker->fewest_cores();
      if (!plan.unfit(index, facts)) return true;
    }
    return false;
  }

  void check_outcomes() {
    if (!world_.violation.empty()) return;
    if (!coordinator_.over()) return world_.violated("a sweep did not end");
    for (const auto& [sweep, ending] : coordinator_.endings) {
      if (ending == Ending::stopped) {
        if (!coordinator_.cancelled.count(sweep)) world_.violated("stopped by nobody");
      } else {
        check_outcomes(sweep, ending);
      }
    }
  }

  void check_outcomes(SweepId sweep, Ending ending) {
    const Plan& plan = script_.of(sweep);
    std::map<std::uint64_t, std::uint32_t> begun;  // points that were restarted, and how often
    for (const auto& [job, outcome] : archive_.answers()) {
      if (job.sweep != sweep || plan.hosts != Hosts::any || job.host == 0) continue;
      std::uint32_t& times = begun[plan.point_of(job.index)];
      times = std::max(times, times_restarted(job.host));
    }
    const std::set<std::uint32_t> numbers =
        plan.hosts == Hosts::any ? std::set<std::uint32_t>{0} : coordinator_.hosts_joined[sweep];
    bool all_ok = true;
    for (std::uint64_t index = 0; index < plan.size(); ++index) {
      for (const std::uint32_t host : numbers) {
        const auto times = begun.find(plan.point_of(index));
        const JobId job{sweep, index, times == begun.end() ? host : restarted(times->second)};
        const std::string name = std::to_string(sweep.value) + ":" + std::to_string(index);
        const auto answer = archive_.answers().find(job);
        const bool answered = answer != archive_.answers().end();
        const bool wanted = plan.wanted(index) && index < coordinator_.asked[sweep];
        if (answered != wanted)
          world_.violated("job " + name + (wanted ? " has no outcome" : " was not asked for"));
        if (!answered) continue;
        all_ok = all_ok && answer->second == Outcome::ok;
        const auto where = plan.hosts == Hosts::any ? std::nullopt : std::optional(host);
        const bool unplaceable = answer->second == Outcome::unplaceable;
        const bool is_wrong = unplaceable ? !stayed_away_ && fits(plan, index, where, true)
                                          : !fits(plan, index, where, false);
        if (is_wrong) {
          world_.violated("job " + name + " is wrongly called (un)placeable");
        }
        if (plan.killer(index) && answer->second == Outcome::ok) world_.violated("a killer is ok");
      }
    }
    // A failure counts, too, after which the point was restarted.
    const bool had_failures = !all_ok || !begun.empty();
    if (ending == Ending::incomplete && !had_failures) world_.violated("called incomplete for nothing");
  }

  // At the end nothing is left anywhere.
  void check_rest() {
    if (!world_.violation.empty()) return;
    const coordinator::TableSizes tables = coordinator_.tables();
    if (tables.sweeps + tables.in_flight_jobs + tables.stores + tables.deferred + tables.suspects +
            tables.set_aside >
        0)
      world_.violated("the coordinator has something left");
    for (const auto& worker : workers_) {
      if (worker->held() > 0) world_.violated("a worker has jobs left");
      // Those of a stopped sweep are for the run that continues it.
      for (const auto& [attempt, outcome] : worker->spooled()) {
        if (coordinator_.endings[attempt.job.sweep] != Ending::stopped)
          world_.violated("a worker has results left: " + text_of(attempt));
      }
    }
  }

  World world_;
  Network network_;
  Archive archive_;
  std::vector<Fault> faults_;
  Script script_;
  bool stops_;
  Measurements measurements_;
  CoordinatorHost coordinator_;
  std::uint32_t instances_ = 0;
  std::vector<std::unique_ptr<WorkerHost>> workers_;
  std::uint64_t crashes_ = 0;
  bool stayed_away_ = false;  // a worker, for longer than jobs wait for a host
};

}  // namespace

Verdict run_cluster(std::uint64_t seed) {
  return Cluster(seed).run();
}

}  // namespace kernsweep::simulation
