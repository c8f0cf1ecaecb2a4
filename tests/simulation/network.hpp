// Connections between workers and the coordinator, as TCP gives them: in order and complete while they
// live; when one breaks, what was under way arrives up to some point and the rest never. A line that is
// cut, in one direction or both, delays everything behind the cut.
//
// Late messages of an old connection may arrive after the first ones of a new connection. And because the
// cores promise more than TCP needs, a message may in some lives be doubled, or overtake another.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "coordinator/core/core.hpp"
#include "tests/simulation/world.hpp"

namespace kernsweep::simulation {

struct Join {
  std::uint32_t instance = 0;  // one life of one worker's process
  coordinator::HostFacts host;
  std::vector<AttemptId> holding;
};
struct Beat {
  WorkerId worker;
};
struct Outcomes {
  WorkerId worker;
  std::vector<coordinator::Arrival> arrivals;
};
struct Returned {
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
struct Draining {
  WorkerId worker;
};
struct Goodbye {  // either way: it ends
  WorkerId worker;
};
using ToCoordinator = std::variant<Join, Beat, Outcomes, Returned, Draining, Goodbye>;

struct Welcome {
  WorkerId worker;
};
struct JoinAgain {};
struct Dismissed {};
using ToWorker =
    std::variant<Welcome, Beat, JoinAgain, Dismissed, Goodbye, coordinator::SendJobs,
                 coordinator::CancelJobs, coordinator::RetractJobs, coordinator::ReleaseResults>;

struct Line {
  Instant cut_until;  // nothing passes before
  Instant last;       // arrival of the newest message: keeps the order
};

struct Connection {
  std::function<void(const ToWorker&)> worker;
  bool broken = false;
  Line to_coordinator, to_worker;
  Instant lost_from{Duration::max()};  // of a broken connection: what would arrive later is lost
};
using ConnectionPtr = std::shared_ptr<Connection>;

class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  std::function<void(ConnectionPtr, const ToCoordinator&)> coordinator;
  bool unruly = false;  // messages are doubled and overtake each other, while there are faults

  void send(const ConnectionPtr& connection, ToCoordinator message) {
    deliver(connection, connection->to_coordinator,
            [this, connection, m = std::move(message)] { coordinator(connection, m); });
  }
  void send(const ConnectionPtr& connection, ToWorker message) {
    deliver(connection, connection->to_worker,
            [connection, m = std::move(message)] { connection->worker(m); });
  }
  void break_off(const ConnectionPtr& connection) {
    if (connection->broken) return;
    connection->broken = true;
    connection->lost_from =
        world_.now + world_.random.between(0ms, world_.random.chance(0.2) ? 500ms : 20ms);
  }

 private:
  Duration latency() {
    if (world_.calm) return world_.random.between(50us, 300us);
    return world_.random.chance(0.02) ? world_.random.between(1ms, 200ms)
                                      : world_.random.between(20us, 2ms);
  }
  void deliver(const ConnectionPtr& connection, Line& line, std::function<void()> arrive) {
    if (connection->broken) return;
    const bool wild = unruly && world_.faults;
    const bool overtakes = wild && world_.random.chance(0.02);
    Instant at = std::max(world_.now + latency(), line.cut_until);
    if (!overtakes) line.last = at = std::max(at, line.last);
    if (wild && world_.random.chance(0.02)) arrive_at(connection, at + latency(), arrive);
    arrive_at(connection, at, std::move(arrive));
  }
  void arrive_at(const ConnectionPtr& connection, Instant at, std::function<void()> arrive) {
    world_.after(at - world_.now, [connection, at, arrive = std::move(arrive)] {
      if (at < connection->lost_from) arrive();
    });
  }
  World& world_;
};

}  // namespace kernsweep::simulation
