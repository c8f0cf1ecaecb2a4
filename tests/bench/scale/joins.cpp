#include "tests/bench/scale/joins.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/core.hpp"
#include "coordinator/net/space.hpp"

namespace kernsweep {
namespace {

using namespace coordinator;

double thread_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string sweep_text(std::uint64_t unschedulable, bool names) {
  return "sweep: 1\nname: joins\nkernel: noop\nmeasure: {processes: 1, order: interleave}\naxes:\n"
         "  i: {range: [1, " +
         std::to_string(unschedulable) + "]}\nrequires: ['" +
         (names ? "host.name == \"nobody\"" : "host.cores > 1000") + "']\n";
}

std::vector<KnownHost> known_hosts(std::uint32_t count) {
  std::vector<KnownHost> hosts(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    hosts[i].name = "node" + std::to_string(i);
    hosts[i].cores = 2;
    hosts[i].facts = {{"name", Value(hosts[i].name)},
                      {"cores", Value(2)},
                      {"memory_bytes", Value(std::int64_t{1} << 36 | i)}};
    hosts[i].families = {{"noop", {}}};
  }
  return hosts;
}

class Turns {
 public:
  explicit Turns(Core& core) : core_(core) {}

  void tell(const Event& event) {
    actions_.clear();
    now_ = now_ + 1ms;
    const double before = thread_cpu_s();
    core_.apply(now_, event, actions_);
    took_.push_back(thread_cpu_s() - before);
    scan_on_ =
        std::ranges::any_of(actions_, [](const Action& a) { return std::holds_alternative<ScanOn>(a); });
  }
  // As the shell does: the core continues at once, between messages.
  bool scans() const { return scan_on_; }
  void print() {
    std::ranges::sort(took_);
    double sum = 0;
    for (const double s : took_) sum += s;
    const auto at = [this](double part) {
      return took_[static_cast<std::size_t>(part * static_cast<double>(took_.size() - 1))] * 1e3;
    };
    std::printf(
        "  %zu turns, %.1f s in all; median %.3f ms, 99 %% %.3f ms, 99.9 %% %.3f ms, longest %.3f ms\n",
        took_.size(), sum, at(0.5), at(0.99), at(0.999), took_.back() * 1e3);
  }

 private:
  Core& core_;
  std::vector<Action> actions_;
  std::vector<double> took_;
  Instant now_{1s};
  bool scan_on_ = false;
};

}  // namespace

void joins(std::uint32_t hosts, std::uint64_t unschedulable, bool names) {
  auto parsed = Expansion::parse(sweep_text(unschedulable, names), "", {});
  if (!parsed) {
    std::fprintf(stderr, "%s\n", parsed.error().message.c_str());
    std::exit(1);
  }
  const std::vector<KnownHost> known = known_hosts(hosts);
  CoreOptions options;
  options.stay = true;  // jobs that fit no worker wait
  Core core(options);
  Turns turns(core);
  SweepSubmitted sweep;
  sweep.sweep = SweepId{1};
  sweep.space = std::make_shared<ExpansionSpace>(*parsed, known);
  turns.tell(sweep);
  turns.tell(WorkerJoined{WorkerId{1}, {1, 2, 0, 0}, {}});
  while (turns.scans()) turns.tell(TimePassed{});
  for (std::uint32_t i = 1; i < hosts; ++i) {
    turns.tell(WorkerJoined{WorkerId{i + 1}, {i + 1, 2, 0, i}, {}});
    if (turns.scans()) turns.tell(TimePassed{});
  }
  while (turns.scans()) turns.tell(TimePassed{});
  std::printf("%u joins, %llu jobs that fit nobody, `requires` reads %s:\n", hosts,
              static_cast<unsigned long long>(unschedulable), names ? "host.name" : "host.cores");
  turns.print();
  if (core.tally(SweepId{1}).parked != unschedulable) std::printf("  WRONG: not all are set aside\n");
}

}  // namespace kernsweep
