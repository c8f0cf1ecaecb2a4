// Who gets the next jobs. Greedy and O(1) per job: no order of jobs is ever computed.
#include <algorithm>

#include "coordinator/core/state.hpp"

namespace kernsweep::coordination {

bool Core::State::hungry(const Worker& worker) const {
  return worker.held < worker.low_mark(options) && now >= worker.rests_until;
}

// Rounds of a few jobs each, so that the last jobs of a sweep are spread over the workers that are free.
void Core::State::refill() {
  if (failed || pending.size() >= kStoresPendingMax) return;
  std::vector<Worker*> waiting;
  if (refill_all) {
    for (auto& [id, worker] : roster) {
      if (hungry(worker)) waiting.push_back(&worker);
    }
  } else if (Worker* worker = roster.find(refill_one); worker && hungry(*worker)) {
    waiting.push_back(worker);
  }
  while (!waiting.empty() && !scan_on) {
    std::vector<Worker*> still;
    for (Worker* worker : waiting) {
      const std::uint32_t room = worker->target(options) - std::min(worker->held, worker->target(options));
      const std::uint32_t share =
          waiting.size() == 1 ? room : std::min(room, std::max(worker->host.cores, 1U));
      if (give(*worker, share) == share && share < room) still.push_back(worker);
      if (scan_on) break;
    }
    waiting = std::move(still);
  }
}

std::uint32_t Core::State::give(Worker& worker, std::uint32_t most) {
  std::uint32_t given = 0;
  for (const auto& run : sweeps) {
    if (run->stopping) continue;
    Stream& stream = run->stream_for(worker.host);
    std::vector<AttemptId>& send = outboxes[worker.id].send;
    while (given < most) {
      std::uint64_t index = 0;
      const Draw drawn = stream.draw(worker.kind, run->flights, budget, index);
      if (drawn == Draw::pause) scan_on = true;
      if (drawn != Draw::job) break;
      Flight* flight = run->flights.find(index, stream.host());
      if (!flight) {
        flight = &run->adopt({{run->id, index, stream.host()}, run->first_attempt}, worker.id);
      } else {
        flight->state = FlightState::sent;
        flight->worker = worker.id;
        ++run->sent;
      }
      send.push_back(run->newest(*flight));
      ++given;
    }
    if (!run->started && !send.empty()) run->started = now;
    if (given == most || scan_on) break;
  }
  worker.held += given;
  return given;
}

}  // namespace kernsweep::coordination
