// A peer of the coordinator that sends the messages of a script, and checks the coordinator's promises.
//
// It checks of each answer: it is readable, it is for a session to which this peer was welcomed, jobs come
// with their definitions and are with no other peer, and only reported outcomes are released.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/wire/protocol.pb.h"
#include "tests/fuzz/conversation/words.hpp"
#include "transport/socket.hpp"

namespace kernsweep::fuzz {

// The messages that all peers have seen.
struct Seen {
  std::vector<AttemptId> sent;             // by the coordinator, to anybody
  std::set<AttemptId> released;            // by the coordinator
  std::map<JobId, std::uint32_t> largest;  // attempt that was sent in any life
  std::set<std::uint32_t> epochs;          // of this life
  std::string database;
};

class Peer {
 public:
  Peer(std::string endpoint, std::string instance, Seen& seen);

  // A new connection: for the coordinator another peer.
  void connect();
  // Speaks. `epoch`: as a script chooses it, mostly the right one.
  void say(wire::ToCoordinator message, Script& script);
  void say_bytes(const std::string& bytes);
  void say_hello(Script& script);
  void say_again(Script& script);  // the last message, one byte of it changed
  // Honestly.
  void say_honest_hello();
  void say_heartbeat();
  void answer_all();
  // Reads and checks what has come; true: something has.
  bool hear();
  // Until something has come, or for this long.
  void await(Duration limit);

  Known known() const;
  bool welcomed() const { return epoch_ != 0; }
  bool holds_something() const { return !held_.empty(); }

 private:
  void take(const wire::ToWorker& message);
  void take_welcome(const wire::ToWorker& message);
  void take_jobs(const wire::JobBatch& batch);
  void send(const std::string& bytes);

  const std::string endpoint_;
  const std::string instance_;
  Seen& seen_;
  std::optional<Socket> socket_;
  std::string last_;
  std::uint32_t epoch_ = 0, former_ = 0;
  std::set<std::uint32_t> epochs_;      // that this connection was welcomed to
  std::set<std::string> drop_notices_;  // sent on this connection
  std::set<AttemptId> held_;
  std::set<AttemptId> told_;               // by us, in whatever way: an outcome, `holding`, a repetition
  std::map<JobId, std::uint32_t> newest_;  // attempt that was sent to us in this life
  std::set<std::uint32_t> plans_, keys_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> rules_;
};

}  // namespace kernsweep::fuzz
