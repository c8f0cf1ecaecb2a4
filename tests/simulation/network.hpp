// Connections between agents and the coordinator, as TCP gives them: in order and complete while they live;
// when one breaks, what was under way arrives up to some point and the rest never. A cut line delays
// everything behind it.
//
// Late messages of an old connection may arrive after the first ones of a new connection.
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
  std::uint32_t instance = 0;  // one life of one agent's process
  coordination::HostFacts host;
  std::vector<AttemptId> holding;
};
struct Beat {
  WorkerId worker;
};
struct Outcomes {
  WorkerId worker;
  std::vector<coordination::Arrival> arrivals;
};
struct Returned {
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
using ToCoordinator = std::variant<Join, Beat, Outcomes, Returned>;

struct Welcome {
  WorkerId worker;
};
struct JoinAgain {};
struct Dismissed {};
using ToAgent = std::variant<Welcome, Beat, JoinAgain, Dismissed, coordination::SendJobs,
                             coordination::CancelJobs, coordination::ReleaseResults>;

struct Connection {
  std::function<void(const ToAgent&)> agent;
  bool broken = false;
  Instant cut_until;            // nothing passes before
  Instant last_to_coordinator;  // arrival of the newest message: keeps the order
  Instant last_to_agent;
  Instant lost_from{Duration::max()};  // of a broken connection: what would arrive later is lost
};
using ConnectionPtr = std::shared_ptr<Connection>;

class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  std::function<void(ConnectionPtr, const ToCoordinator&)> coordinator;

  void send(const ConnectionPtr& connection, ToCoordinator message) {
    deliver(connection, connection->last_to_coordinator,
            [this, connection, m = std::move(message)] { coordinator(connection, m); });
  }
  void send(const ConnectionPtr& connection, ToAgent message) {
    deliver(connection, connection->last_to_agent,
            [connection, m = std::move(message)] { connection->agent(m); });
  }
  void break_off(const ConnectionPtr& connection) {
    if (connection->broken) return;
    connection->broken = true;
    connection->lost_from =
        world_.now + world_.random.between(0ms, world_.random.chance(0.2) ? 500ms : 20ms);
  }

 private:
  void deliver(const ConnectionPtr& connection, Instant& last, std::function<void()> arrive) {
    if (connection->broken) return;
    const Duration latency =
        world_.random.chance(0.02) ? world_.random.between(1ms, 200ms) : world_.random.between(20us, 2ms);
    const Instant at = std::max({world_.now + latency, last, connection->cut_until});
    last = at;
    world_.after(at - world_.now, [connection, at, arrive = std::move(arrive)] {
      if (at < connection->lost_from) arrive();
    });
  }
  World& world_;
};

}  // namespace kernsweep::simulation
