// The connection to the coordinator: to one address without encryption, or to the addresses of a join file
// with its keys.
//
// If there are several addresses, only one is tried at a time, because a dealer with several peers would
// distribute its messages among them. If the handshake with an address is not finished within two seconds,
// the next address is tried; this time limit grows with each round, up to ten seconds. After a handshake
// the link keeps its address, however long the coordinator takes to welcome the worker. While the worker is
// not welcomed, and while the connection is lost, a changed join file is read again, so that new addresses
// and new keys reach a running worker.
//
// Used by the worker's thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"
#include "shared/keys/join_file.hpp"
#include "transport/socket.hpp"

namespace kernsweep::worker {

class CoordinatorLink {
 public:
  // Error: `endpoint` is not a valid address.
  static Result<CoordinatorLink> to(const std::string& endpoint);
  // Error: the file is not a worker's join file.
  static Result<CoordinatorLink> by_join_file(const std::string& path);

  Socket& socket() { return *socket_; }
  // Must be called regularly while the worker is not welcomed, or the connection is lost. When the time
  // limit of the current address is over, replaces the socket by one to the next address.
  void try_next_address(Instant now);
  // A TCP connection was lost and is not restored.
  bool broken();
  // No hello was sent on this connection: the socket or its connection is new.
  bool needs_hello();
  // The last hello was sent without a connection; it waits in the socket for the next one.
  bool has_queued_hello();
  void hello_sent();
  // The address that is being tried, or is connected.
  const std::string& address() const { return endpoints_[at_]; }
  // All addresses, for messages to the user: "tcp://a:1 or tcp://b:1".
  std::string addresses() const;
  // Identity of the coordinator: its public key, or its address if there is no key. It stays the same when
  // the worker is restarted.
  std::string coordinator_id() const;

 private:
  Status read_file();
  Status connect(Instant now);

  std::string path_;   // path of the join file; empty: none
  std::string state_;  // state of that file when it was read
  std::vector<std::string> endpoints_;
  std::optional<PeerKeys> keys_;
  std::optional<Socket> socket_;
  std::size_t at_ = 0;
  std::size_t tries_ = 0;
  std::optional<std::uint32_t> hello_connection_;  // number of the connection with the last hello
  Instant connect_began_{};
  std::optional<Instant> lost_;  // when the connection was lost
  std::string complaint_;
};

}  // namespace kernsweep::worker
