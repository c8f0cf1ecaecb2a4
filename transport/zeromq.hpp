// ZeroMQ behind two sockets and a poll. The only file that includes it.
//
// Talks: a ROUTER (coordinator, agent) knows its peers by a routing id, a DEALER (agent, slot) has one
// peer. A message is one frame of bytes. Sending never blocks: a queue that is full is reported, and the
// caller keeps the message.
//
// A Socket belongs to one thread. Closing keeps what was queued for `linger` at most.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/instant.hpp"
#include "shared/result.hpp"

namespace kernsweep {

struct Received {
  std::string peer;  // routing id; empty from a dealer
  std::string bytes;
};

class Socket {
 public:
  // `endpoint`: "tcp://127.0.0.1:7777", "tcp://*:7777", "tcp://127.0.0.1:*", "ipc://@name" (abstract:
  // leaves no file). Error: the address is in use, malformed, or not permitted.
  static Result<Socket> router(const std::string& endpoint);
  // Connects now and by itself again whenever the connection is lost.
  static Result<Socket> dealer(const std::string& endpoint);

  Socket(Socket&&) noexcept;
  Socket& operator=(Socket&&) noexcept;
  ~Socket();

  // The address in use, with the port that was chosen for "*".
  std::string endpoint() const;

  // False: the peer is gone or its queue is full; nothing was sent.
  bool send(std::string_view bytes);
  bool send_to(std::string_view peer, std::string_view bytes);
  // The next message if one is there. Messages with another number of frames are dropped.
  std::optional<Received> receive();

 private:
  friend class Poll;
  struct Handle;
  explicit Socket(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

// Waits for sockets and file descriptors together.
class Poll {
 public:
  // Positions count from 0 in the order of adding; valid until clear().
  void add(const Socket& socket);
  void add_readable(int descriptor);
  void clear();
  // Waits until something is readable or `limit` has passed (0 or less: looks only). Returns how many are
  // readable.
  int wait(Duration limit);
  bool readable(std::size_t position) const;

 private:
  struct Item {
    void* socket;
    int descriptor;
    bool readable;
  };
  std::vector<Item> items_;
};

}  // namespace kernsweep
