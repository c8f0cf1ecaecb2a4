// ZeroMQ behind two sockets and a poll. Its headers are included only within this folder.
//
// A ROUTER (coordinator, worker) has many peers, each with a routing id; a DEALER (worker, slot) has one
// peer. A message is one frame of bytes. Sending never blocks: a full queue is reported, and the caller
// keeps the message.
//
// With keys a connection is encrypted and both ends are authenticated (CURVE): a router rejects, without an
// answer, every key that its table does not allow; a dealer connects only to the owner of the given public
// key. Rejections are counted and logged, at most one line per minute.
//
// A Socket belongs to one thread. After closing, queued messages are kept for at most half a second.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"
#include "shared/keys/curve_key.hpp"
#include "transport/allowed_keys.hpp"
#include "transport/refusals.hpp"

namespace kernsweep {

struct Received {
  std::string peer;  // routing id; empty from a dealer
  std::string bytes;
  // The holder of the connection's key; nothing without encryption. Looked up for each message, so that a
  // message with a revoked key is never delivered.
  std::optional<KeyHolder> key;
};

// A router drops larger messages without decoding them. Above kMessageBytesEnd, libzmq closes the
// connection without reporting it; for a dealer it does so above kMessageBytesMax.
constexpr std::int64_t kMessageBytesMax = 256LL << 20;
constexpr std::int64_t kMessageBytesEnd = 320LL << 20;

// A message that a router has dropped, so that its owner can inform the peer.
struct Dropped {
  std::string peer;
  std::uint64_t RefusalCounts::*why;
};

// For the listening side: its secret key, and the keys that may connect.
struct ServerKeys {
  CurveKey secret{};
  std::shared_ptr<const AllowedKeys> allowed;
};

// For the connecting side: the public key of the server, and its own keys.
struct PeerKeys {
  CurveKey server{};  // public
  KeyPair own;
};

// The state of a dealer's connection to its peer.
struct Link {
  std::uint32_t connections = 0;  // number of finished handshakes
  bool connected = false;         // the last connection is not lost
};

class Socket {
 public:
  // `endpoint`: "tcp://127.0.0.1:7777", "tcp://*:7777", "tcp://127.0.0.1:*", "ipc://@name" (abstract:
  // creates no file). Returns an error if the address is in use, malformed, or not permitted.
  // `keys`: null for no encryption.
  static Result<Socket> router(const std::string& endpoint, const ServerKeys* keys = nullptr);
  // Connects now, and reconnects automatically whenever the connection is lost.
  static Result<Socket> dealer(const std::string& endpoint, const PeerKeys* keys = nullptr);

  Socket(Socket&&) noexcept;
  Socket& operator=(Socket&&) noexcept;
  ~Socket();

  // Binds one more address of a router, with keys if the first one has keys, else without (libzmq cannot
  // use both on one socket). The secret key may differ; the table of allowed keys is that of the first
  // address.
  Status bind(const std::string& endpoint, const ServerKeys* keys = nullptr);
  // `endpoint`: in the form of endpoints(). Closes its connections; the address becomes free a little
  // later.
  void unbind(const std::string& endpoint);

  // The address that was last bound or connected, with the port that was chosen for "*".
  std::string endpoint() const;
  const std::vector<std::string>& endpoints() const;  // of a router: all bound addresses
  // For a dealer with a tcp address: the handshake is finished and the connection is not lost. May be
  // delayed.
  bool connected();
  // For a dealer with a tcp address; nothing for other addresses, for which libzmq does not report it. May
  // be delayed.
  std::optional<Link> link();
  // For a router with a tcp address: peers that have sent a message and whose connection has ended since
  // the last call. They may return with another routing id.
  std::vector<std::string> lost_peers();
  // For a message that the router's owner rejects: counts and logs it like messages that the router itself
  // rejects.
  void count(std::uint64_t RefusalCounts::*which);
  // For a router: number of connections and messages rejected so far.
  RefusalCounts refusals() const;

  // Returns false if the peer is gone or its queue is full; then nothing was sent.
  bool send(std::string_view bytes);
  bool send_to(std::string_view peer, std::string_view bytes);
  // Returns the next message, if there is one. Drops messages with another number of frames and too large
  // ones; a router counts them. Returns nothing after 256 dropped messages in a row, although others may
  // follow.
  std::optional<Received> receive();
  // For a router: the messages that receive() has dropped since the last call. At most 1,000 are kept;
  // further ones are only counted.
  std::vector<Dropped> take_dropped();

 private:
  friend class Poll;
  struct Handle;
  bool permitted(Received& received, void* frame);
  void drop(std::string peer, std::uint64_t RefusalCounts::*why);
  void look_around();
  void count_strangers(std::uint32_t strangers);
  explicit Socket(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

// Waits for sockets and file descriptors together. Also returns when a connection of one of these sockets
// begins or ends, so that connected() and lost_peers() are up to date.
class Poll {
 public:
  // Returns the position, counted from 0 in the order of adding; valid until clear().
  void add(const Socket& socket);
  void add_readable(int descriptor);
  void clear();
  // Waits until something is readable or `limit` has passed (0 or less: does not wait). Returns the number
  // of readable items.
  int wait(Duration limit);
  bool readable(std::size_t position) const;

 private:
  struct Item {
    void* socket;
    int descriptor;
    bool readable;
  };
  std::vector<Item> items_;
  std::vector<void*> watched_;  // event sockets of their monitors; they have no position
};

}  // namespace kernsweep
