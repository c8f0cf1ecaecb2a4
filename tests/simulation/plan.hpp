// Sweeps invented from a seed: what each job needs, how long it takes, whether it kills its process or its
// host.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coordinator/core/core.hpp"
#include "tests/simulation/world.hpp"
#include "worker/core/core.hpp"

namespace kernsweep::simulation {

class Plan : public coordinator::JobSpace {
 public:
  // processes: jobs of each point; `size` is rounded down to a multiple of it.
  Plan(std::uint64_t seed, std::uint64_t size, Hosts where = Hosts::any, std::int32_t urgency = 0,
       std::uint64_t processes = 1)
      : hosts(where),
        priority(urgency),
        seed_(seed),
        points_(size / processes),
        size_(points_ * processes) {
    killers_ = mix_hash(seed, 4) % 4 == 0;
    retry_.max = static_cast<std::uint32_t>(mix_hash(seed, 1) % 4);
    if (mix_hash(seed, 2) % 2) retry_.on.push_back(Outcome::signal);
    retry_.on_throttled = mix_hash(seed, 3) % 2;
  }
  std::uint64_t size() const override { return size_; }
  bool has_points() const override { return hosts == Hosts::any && size_ > points_; }
  std::uint64_t point_of(std::uint64_t index) const override { return index % points_; }
  std::vector<std::uint64_t> jobs_of_point(std::uint64_t point) const override {
    std::vector<std::uint64_t> jobs;
    for (; point < size_; point += points_) jobs.push_back(point);
    return jobs;
  }
  std::span<const std::uint64_t> rivals_of(std::uint64_t point) const override {
    const std::uint64_t together = die(0, 26) % 6;
    if (together == 0) return {};
    std::vector<std::uint64_t>& rivals = rivals_[point / together];
    if (rivals.empty())
      for (std::uint64_t p = point - point % together; rivals.size() < together && p < points_; ++p)
        rivals.push_back(p);
    return rivals;
  }
  bool wanted(std::uint64_t index) const override { return die(point_of(index), 10) % 11 != 0; }
  std::uint32_t cores(std::uint64_t index) const override {
    const std::uint64_t roll = die(point_of(index), 11) % 100;
    return roll < 80 ? 1 : roll < 93 ? 2 : roll < 98 ? 4 : 16;
  }
  std::optional<std::string> unfit(std::uint64_t index, const coordinator::HostFacts& host) const override {
    if (cores(index) > host.cores) return "requires more cores";
    if (gpus(index) > host.gpus) return "requires more GPUs";
    if (die(point_of(index), 12) % 17 == 0 && host.facts != 1) return "requires fact 1";
    return std::nullopt;
  }
  RetryRules retry(std::uint64_t) const override { return retry_; }
  std::uint32_t held_max() const override {
    return size_ > points_ ? static_cast<std::uint32_t>(die(0, 22) % 4) : 0;
  }

  // The jobs that are requested when the sweep begins, and when all jobs below `asked` have their outcome;
  // nothing: no more. Two of three sweeps request all jobs at once.
  std::uint64_t asked_first() const { return die(0, 23) % 3 ? UINT64_MAX : size_ / 2; }
  std::optional<std::uint64_t> asked_after(std::uint64_t asked) const {
    if (die(asked, 24) % 3 == 0) return std::nullopt;
    return asked + 1 + die(asked, 25) % points_;
  }

  const Hosts hosts;
  const std::int32_t priority;

  std::uint32_t gpus(std::uint64_t index) const {
    const std::uint64_t roll = die(point_of(index), 20) % 100;
    return roll < 80 ? 0 : roll < 97 ? 1 : 2;
  }
  virtual bool poison(std::uint64_t index) const { return die(index, 13) % 61 == 0; }
  // A slot that measures it dies, with its worker.
  virtual bool killer(std::uint64_t index) const { return killers_ && die(index, 19) % 151 == 0; }
  virtual Duration busy(std::uint64_t index) const {
    const std::uint64_t roll = die(index, 14);
    return roll % 3 ? Duration(1us * (20 + roll % 500)) : Duration(1ms * (5 + roll % 60));
  }
  virtual worker::Order order(const AttemptId& attempt) const {
    const std::uint64_t index = attempt.job.index;
    worker::Order order;
    order.attempt = attempt;
    order.key = static_cast<std::uint32_t>(attempt.job.sweep.value * 4 + die(index, 15) % 3);
    order.cores = cores(index);
    order.gpus = gpus(index);
    order.alone_on = static_cast<Exclusion>(1 + die(0, 16) % 4);
    if (die(index, 17) % 4 == 0) order.alone_on = static_cast<Exclusion>(1 + die(index, 18) % 4);
    order.setup_timeout = 400ms;
    order.run_timeout = 300ms;
    order.watched = die(index, 21) % 2 == 0;
    if (size_ > points_ && order.gpus == 0 && order.alone_on == Exclusion::host)
      order.block = static_cast<std::uint32_t>(index / points_);
    return order;
  }

 private:
  std::uint64_t die(std::uint64_t index, std::uint64_t which) const {
    return mix_hash(mix_hash(seed_, which), index);
  }
  std::uint64_t seed_;
  std::uint64_t points_, size_;
  RetryRules retry_;
  bool killers_ = false;
  mutable std::map<std::uint64_t, std::vector<std::uint64_t>> rivals_;
};

// Sweep n is the n-th.
struct Script {
  std::vector<std::shared_ptr<const Plan>> plans;

  const Plan& of(SweepId sweep) const { return *plans.at(sweep.value - 1); }
  Duration busy(const AttemptId& id) const { return of(id.job.sweep).busy(id.job.index); }
  worker::Order order(const AttemptId& id) const { return of(id.job.sweep).order(id); }
  bool poison(const AttemptId& id) const { return of(id.job.sweep).poison(id.job.index); }
  bool killer(const AttemptId& id) const { return of(id.job.sweep).killer(id.job.index); }
};

}  // namespace kernsweep::simulation
