// A thousand workers and ten million jobs before one coordinator's core, in one thread: what a job costs,
// what is remembered, which event takes longest. bench_scale [AGENTS [CORES [JOBS]]]; bench_scale joins
// [HOSTS [MISFITS]]; docs/internals/scale.md has figures.
//
// Workers only answer, in messages of 64; the store commits 4,096 rows at a time. So all time that is
// counted is the core's.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/core.hpp"
#include "tests/bench/scale/joins.hpp"
#include "worker/core/core.hpp"

namespace kernsweep {
namespace {

using namespace coordinator;

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Every tenth job asks for facts beyond the first ones, if there are several kinds of host.
class Space : public JobSpace {
 public:
  Space(std::uint64_t size, std::uint32_t kinds) : size_(size), kinds_(kinds) {}
  std::uint64_t size() const override { return size_; }
  bool wanted(std::uint64_t) const override { return true; }
  std::uint32_t cores(std::uint64_t) const override { return 1; }
  std::optional<std::string> unfit(std::uint64_t index, const HostFacts& host) const override {
    if (kinds_ > 1 && index % 10 == 0 && host.facts < kinds_ / 2) return "requires host.gpus > 0";
    return std::nullopt;
  }
  RetryRules retry(std::uint64_t) const override { return {}; }

 private:
  std::uint64_t size_;
  std::uint32_t kinds_;
};

struct Meter {
  const char* name;
  std::uint64_t events = 0;
  double sum_s = 0, max_s = 0;
};

class Cluster {
 public:
  Cluster(std::uint32_t workers, std::uint32_t cores, std::uint64_t jobs, std::uint32_t kinds)
      : core_({}), cores_(cores), kinds_(kinds), held_(workers + 1) {
    SweepSubmitted sweep;
    sweep.sweep = SweepId{1};
    sweep.space = std::make_shared<Space>(jobs, kinds);
    tell(submit_, sweep);
  }
  void join_all() {
    for (std::uint32_t i = 1; i < held_.size(); ++i) join(WorkerId{i}, i);
  }
  void join(WorkerId worker, std::uint32_t host) {
    held_of(worker);
    tell(join_, WorkerJoined{worker, {host, cores_, 0, host % kinds_}, {}});
  }
  // Every worker answers once.
  void round() {
    for (std::uint32_t i = 1; i < held_.size(); ++i) {
      std::vector<AttemptId>& held = held_[i];
      if (held.empty()) continue;
      OutcomesArrived outcomes{WorkerId{i}, {}};
      const std::size_t count = std::min<std::size_t>(held.size(), 64);
      for (std::size_t k = 0; k < count; ++k)
        outcomes.arrivals.push_back({held[k], Outcome::ok, false, 100ms});
      held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(count));
      now_ = now_ + 50us;
      tell(arrive_, outcomes);
      if (rows_.size() >= 4096) commit();
    }
    commit();
    tell(tick_, TimePassed{});
    for (std::uint32_t i = 1; i < held_.size(); ++i) tell(beat_, WorkerHeard{WorkerId{i}});
  }
  void lose(std::uint32_t worker) {
    held_[worker].clear();
    tell(lose_, WorkerLeft{WorkerId{worker}, "closed its connection"});
    commit();
  }
  bool over() const { return core_.idle(); }
  std::uint64_t done() const { return core_.tally(SweepId{1}).done; }
  TableSizes tables() const { return core_.tables(); }
  void print() const {
    for (const Meter* meter : {&submit_, &join_, &arrive_, &store_, &tick_, &beat_, &lose_}) {
      if (meter->events == 0) continue;
      std::printf("  %-16s %9llu events  %9.2f us mean  %9.3f ms longest\n", meter->name,
                  static_cast<unsigned long long>(meter->events),
                  meter->sum_s * 1e6 / static_cast<double>(meter->events), meter->max_s * 1e3);
    }
  }
  double core_s() const {
    double sum = 0;
    for (const Meter* meter : {&submit_, &join_, &arrive_, &store_, &tick_, &beat_, &lose_})
      sum += meter->sum_s;
    return sum;
  }

 private:
  std::vector<AttemptId>& held_of(WorkerId worker) {
    if (worker.value >= held_.size()) held_.resize(worker.value + 1);
    return held_[worker.value];
  }
  void commit() {
    if (!rows_.empty()) tell(store_, ResultsStored{std::exchange(rows_, {})});
  }
  void tell(Meter& meter, const Event& event) {
    now_ = now_ + 1us;
    actions_.clear();
    const double before = cpu_s();
    core_.apply(now_, event, actions_);
    const double took = cpu_s() - before;
    ++meter.events;
    meter.sum_s += took;
    meter.max_s = std::max(meter.max_s, took);
    for (const Action& action : actions_) {
      if (const auto* jobs = std::get_if<SendJobs>(&action)) {
        std::vector<AttemptId>& held = held_of(jobs->worker);
        held.insert(held.end(), jobs->attempts.begin(), jobs->attempts.end());
      } else if (const auto* row = std::get_if<StoreResult>(&action)) {
        rows_.push_back(row->attempt);
      } else if (const auto* back = std::get_if<RetractJobs>(&action)) {
        returned_ += back->attempts.size();  // these workers have begun all that they hold
      }
    }
  }

  Core core_;
  std::uint32_t cores_;
  std::uint32_t kinds_;
  std::vector<std::vector<AttemptId>> held_;  // by worker
  std::vector<AttemptId> rows_;
  std::vector<Action> actions_;
  Instant now_{1s};
  std::uint64_t returned_ = 0;
  Meter submit_{"SweepSubmitted"}, join_{"WorkerJoined"}, arrive_{"OutcomesArrived"},
      store_{"ResultsStored"}, tick_{"TimePassed"}, beat_{"WorkerHeard"}, lose_{"WorkerLeft"};
};

void whole_sweep(std::uint32_t workers, std::uint32_t cores, std::uint64_t jobs, std::uint32_t kinds) {
  const double before = peak_mib();
  Cluster cluster(workers, cores, jobs, kinds);
  cluster.join_all();
  TableSizes most;
  while (!cluster.over()) {
    cluster.round();
    const TableSizes now = cluster.tables();
    most.in_flight_jobs = std::max(most.in_flight_jobs, now.in_flight_jobs);
    most.set_aside = std::max(most.set_aside, now.set_aside);
  }
  std::printf("%u workers of %u cores in %u kind(s), %llu jobs, %llu done:\n", workers, cores, kinds,
              static_cast<unsigned long long>(jobs), static_cast<unsigned long long>(cluster.done()));
  std::printf(
      "  %.3f us of the coordinator's core per job; peak memory + %.0f MiB; %zu jobs on their way, %zu "
      "set aside at most\n",
      cluster.core_s() * 1e6 / static_cast<double>(jobs), peak_mib() - before, most.in_flight_jobs,
      most.set_aside);
  cluster.print();
}

void losses(std::uint32_t workers, std::uint32_t cores, std::uint64_t jobs) {
  Cluster cluster(workers, cores, jobs, 1);
  cluster.join_all();
  for (int i = 0; i < 3; ++i) cluster.round();
  for (std::uint32_t i = 1; i <= workers / 2; ++i) cluster.lose(i);
  for (std::uint32_t i = 1; i <= workers / 2; ++i) cluster.join(WorkerId{workers + i}, i);
  std::printf("half of them lost in one turn, and back as new ones:\n");
  cluster.print();
}

// One worker: every slot measures for itself, one job after the other.
void one_worker(std::uint32_t cores, std::uint64_t jobs) {
  worker::Core core({cores, {}, {}}, {});
  std::vector<worker::Action> actions;
  std::vector<worker::Event> next;
  Instant now{1s};
  std::uint64_t sent = 0, done = 0;
  const auto refill = [&] {
    worker::JobsArrived arrived;
    while (sent < jobs && arrived.orders.size() < cores) {
      worker::Order order;
      order.attempt = {{SweepId{1}, sent++, 0}, 1};
      order.alone_on = Exclusion::core;
      arrived.orders.push_back(order);
    }
    next.emplace_back(std::move(arrived));
  };
  refill();
  const double before = cpu_s();
  while (done < jobs) {
    std::vector<worker::Event> events;
    std::swap(events, next);
    for (const worker::Event& event : events) {
      now = now + 10us;
      actions.clear();
      core.apply(now, event, actions);
      for (const worker::Action& action : actions) {
        if (const auto* start = std::get_if<worker::StartSlot>(&action)) {
          next.emplace_back(worker::SlotReady{start->slot});
        } else if (const auto* run = std::get_if<worker::SendRun>(&action)) {
          worker::OutcomesMeasured told;
          for (const AttemptId& id : run->attempts)
            told.outcomes.push_back({run->slot, id, Outcome::ok, 100ms});
          next.emplace_back(worker::LeaseRequested{run->slot});
          next.emplace_back(std::move(told));
        } else if (std::holds_alternative<worker::ReportOutcome>(action)) {
          ++done;
        }
      }
    }
    if (core.activity().queued < cores) refill();
  }
  std::printf("one worker's core with %u slots: %.3f us per job\n", cores,
              (cpu_s() - before) * 1e6 / static_cast<double>(jobs));
}

}  // namespace
}  // namespace kernsweep

int main(int count, char** words) {
  const auto number = [&](int place, std::uint64_t otherwise) {
    return count > place ? std::strtoull(words[place], nullptr, 10) : otherwise;
  };
  setvbuf(stdout, nullptr, _IOLBF, 0);
  if (count > 1 && std::string(words[1]) == "joins") {
    const auto hosts = static_cast<std::uint32_t>(number(2, 500));
    const std::uint64_t unschedulable = number(3, 100'000);
    kernsweep::joins(hosts, unschedulable, false);
    kernsweep::joins(hosts, unschedulable, true);
    return 0;
  }
  const auto workers = static_cast<std::uint32_t>(number(1, 1000));
  const auto cores = static_cast<std::uint32_t>(number(2, 128));
  const std::uint64_t jobs = number(3, 10'000'000);
  kernsweep::whole_sweep(workers, cores, jobs, 1);
  kernsweep::losses(workers, cores, jobs);
  kernsweep::whole_sweep(workers, cores, jobs / 100, workers);
  kernsweep::one_worker(cores, 200'000);
  kernsweep::one_worker(2, 200'000);
  return 0;
}
