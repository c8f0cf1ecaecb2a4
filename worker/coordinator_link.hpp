// The way to the coordinator: one address in the clear, or those of a join file with its keys.
//
// Of several addresses one is tried at a time, because a dealer that has several peers would share its
// messages among them: an address at which hands are not shaken within two seconds gives way to the next;
// the time grows with each round, up to ten seconds. Where hands are shaken we stay, however long the
// coordinator takes to welcome us. A join file that has changed is read again while nobody welcomes us and
// while the connection is lost, so that new addresses and new keys reach a worker that runs.
//
// One thread, the worker's.
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
  // Error: the address cannot be one.
  static Result<CoordinatorLink> to(const std::string& endpoint);
  // Error: the file is no join file of a worker.
  static Result<CoordinatorLink> by_join_file(const std::string& path);

  Socket& socket() { return *socket_; }
  // To be called now and then while nobody has welcomed us, or the way there is broken. May replace the
  // socket.
  void try_next_address(Instant now);
  // A tcp connection was lost, and is not there again.
  bool broken();
  // Nothing that we said tells who we are to coordinator_id is at the other end now: the socket is new, or
  // its connection is another one.
  bool needs_hello();
  // The last hello lies ready for the next connection.
  bool has_queued_hello();
  void hello_sent();
  // The address that is tried now, or has answered.
  const std::string& address() const { return endpoints_[at_]; }
  // All addresses, for people.
  std::string addresses() const;
  // Whom we look for, whatever the address: stays the same when the worker starts again.
  std::string coordinator_id() const;

 private:
  Status read_file();
  Status connect(Instant now);

  std::string path_;   // of the join file; empty: none
  std::string state_;  // of that file when it was read
  std::vector<std::string> endpoints_;
  std::optional<PeerKeys> keys_;
  std::optional<Socket> socket_;
  std::size_t at_ = 0;
  std::size_t tries_ = 0;
  std::optional<std::uint32_t> hello_connection_;  // the socket's connection that carries the last hello
  Instant connect_began_{};
  std::optional<Instant> lost_;  // since then there is no connection addresses there was one
  std::string complaint_;
};

}  // namespace kernsweep::worker
