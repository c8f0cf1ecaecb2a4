// Which worker gets the next jobs. Greedy and O(1) per job: no schedule is computed.
#include <algorithm>

#include "coordinator/core/state.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

bool Core::State::hungry(const Worker& worker) const {
  return !worker.draining && worker.held < worker.low_mark(options) && now >= worker.rests_until;
}

// Rounds of a few jobs each, so that the last jobs of a sweep are spread over the workers that are free.
void Core::State::refill() {
  if (failed || sweeps.empty() || pending.size() >= kStoresPendingMax) return;
  std::vector<Worker*> waiting;
  if (refill_all) {
    for (auto& [id, worker] : workers) {
      if (hungry(worker)) waiting.push_back(&worker);
    }
  } else if (Worker* worker = workers.find(refill_one); worker && hungry(*worker)) {
    waiting.push_back(worker);
  }
  if (waiting.empty()) return;
  if (unmet_demand) {  // returned jobs are for workers without jobs
    std::stable_partition(waiting.begin(), waiting.end(),
                          [](const Worker* worker) { return worker->held < worker->cores(); });
  }
  std::uint32_t together = 0;
  for (const auto& run : sweeps)
    if (!run->stopping && !run->held) together = std::max(together, run->space->held_together());
  bool dry = false;
  while (!waiting.empty()) {
    std::vector<Worker*> still;
    for (Worker* worker : waiting) {
      const std::uint32_t target = std::max(worker->target(options), together);
      const std::uint32_t room = target - std::min(worker->held, target);
      const std::uint32_t share = waiting.size() == 1 ? room : std::min(room, worker->cores());
      bool paused = false;
      const std::uint32_t given = give(*worker, share, paused);
      if (given == share && share < room) still.push_back(worker);
      dry = dry || (given < share && !paused);
      scan_on = scan_on || paused;  // the others have their ready queues, which cost nothing
    }
    waiting = std::move(still);
  }
  unmet_demand = dry;
}

// From the sweep that is served first, as long as it has jobs that fit, then from the next.
std::uint32_t Core::State::give(Worker& worker, std::uint32_t most, bool& paused) {
  std::uint32_t given = 0;
  for (const auto& run : sweeps) {
    if (run->stopping || run->held) continue;
    given += give_of(*run, worker, most - given, paused);
    if (given == most || paused) break;
  }
  worker.give(given, now);
  return given;
}

// The hardware that the dequeued job's point is bound to will not return: all jobs of its point are
// restarted.
void Core::State::restart(SweepRun& run, std::uint64_t index, std::uint32_t hardware, std::uint32_t times) {
  SweepRun::Former former = run.restart(index, hardware, times);
  release(former.deferred);
  const Stream& stream = run.streams.at(0);
  actions->emplace_back(PointBegunAnew{run.id, stream.bound().jobs_beside(index).front(),
                                       times_restarted(stream.host_of(index)), former.results});
  scan_on = true;  // for the other workers that wait for jobs
}

// The job gets its outcome from an earlier result of the database; it is not measured.
bool Core::State::answer_by_earlier(SweepRun& run, Stream& stream, std::uint64_t index,
                                    std::uint32_t hardware) {
  const std::uint32_t host = stream.host_of(index);
  BoundPoints& bound = stream.bound();
  std::optional<EarlierResult> earlier = run.space->earlier_result(index, host, std::nullopt);
  if (!earlier) return false;
  if (bound.binds() && earlier->hardware != hardware) {
    auto bound_to = bound.hardware_of(index, stream.settled_jobs(), run.in_flight_jobs);
    if (host != 0) bound_to = hardware;  // measurements before its restart do not bind it
    if (!bound_to || *bound_to != earlier->hardware) {
      const auto like = run.space->earlier_result(index, host, bound_to.value_or(hardware));
      earlier = like || bound_to ? like : earlier;
    }
  }
  if (!earlier) return false;
  bound.meet(earlier->hardware);
  bound.bind(index, earlier->hardware);
  InFlightJob& in_flight = run.insert(index, host);
  StoreResult row;
  row.attempt = run.newest(in_flight);
  row.reused = earlier->number;
  settle(run, in_flight, std::move(row), Judged{});
  return true;
}

std::uint32_t Core::State::give_of(SweepRun& run, Worker& worker, std::uint32_t most, bool& paused) {
  Stream& stream = run.stream_for(worker.host);
  const auto kind = stream.kind_of(worker.host);
  KS_ASSERT(kind);  // only workers that have joined get jobs
  std::vector<AttemptId>* send = nullptr;
  std::uint32_t given = 0;
  if (const std::size_t held_max = run.space->held_max(); held_max > 0) {
    const std::size_t held = std::min(run.in_flight_jobs.sent_count(worker.id), held_max);
    most = std::min(most, static_cast<std::uint32_t>(held_max - held));
  }
  while (given < most && pending.size() < kStoresPendingMax) {
    std::uint64_t index = 0;
    const bool suspects = run.fault_attribution.size() == 0 ||
                          run.fault_attribution.suspects_with(worker.id) < worker.cores();
    const Dequeued dequeued =
        stream.dequeue({*kind, worker.host.host, suspects}, run.in_flight_jobs, budget, index);
    paused = dequeued == Dequeued::pause;
    if (dequeued != Dequeued::job) break;
    const std::uint32_t hardware = worker.host.hardware;
    if (run.is_unlike({run.id, index, stream.host_of(index)}, hardware)) restart(run, index, hardware);
    InFlightJob* in_flight = run.in_flight_jobs.find(index, stream.host_of(index));
    if (in_flight) {
      run.hand(*in_flight, worker.id);
    } else if (answer_by_earlier(run, stream, index, hardware)) {
      continue;
    } else {
      in_flight = &run.adopt({{run.id, index, stream.host_of(index)}, run.first_attempt}, worker.id);
    }
    stream.bound().bind(index, hardware);
    if (!send) send = &outboxes[worker.id].send;
    send->push_back(run.newest(*in_flight));
    ++given;
  }
  if (!run.started && given > 0) run.started = now;
  return given;
}

}  // namespace kernsweep::coordinator
