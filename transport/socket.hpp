// ZeroMQ behind two sockets and a poll. Only the zeromq* files of this folder include it.
//
// Talks: a ROUTER (coordinator, worker) knows its peers by a routing id, a DEALER (worker, slot) has one
// peer. A message is one frame of bytes. Sending never blocks: a queue that is full is reported, and the
// caller keeps the message.
//
// With keys a connection is encrypted and both ends prove who they are (CURVE): a router refuses, without
// an answer, every key that its table does not allow; a dealer speaks to nobody but the owner of the key
// that it was told. Refusals are counted and told in lines of the log, at most one each minute.
//
// A Socket belongs to one thread. Closing keeps what was queued for `linger` at most.
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
  // Whose key the connection was opened with; nothing in the clear. Looked up for each message: one of a
  // key that was revoked meanwhile is never delivered.
  std::optional<KeyHolder> key;
};

// A router drops what is larger, unread. From kMessageBytesEnd on, libzmq ends the connection without a
// word; with a dealer, from here on.
constexpr std::int64_t kMessageBytesMax = 256LL << 20;
constexpr std::int64_t kMessageBytesEnd = 320LL << 20;

// A message that a router has dropped, so that its owner may tell the peer.
struct Dropped {
  std::string peer;
  std::uint64_t RefusalCounts::*why;
};

// The listening side: its secret, and who may connect.
struct ServerKeys {
  CurveKey secret{};
  std::shared_ptr<const AllowedKeys> allowed;
};

// The connecting side: to whom, and as who.
struct PeerKeys {
  CurveKey server{};  // public
  KeyPair own;
};

// A dealer's way to its peer.
struct Link {
  std::uint32_t connections = 0;  // how often hands were shaken
  bool connected = false;         // the last of them was not lost since
};

class Socket {
 public:
  // `endpoint`: "tcp://127.0.0.1:7777", "tcp://*:7777", "tcp://127.0.0.1:*", "ipc://@name" (abstract:
  // leaves no file). Error: the address is in use, malformed, or not permitted.
  // `keys`: null for the clear.
  static Result<Socket> router(const std::string& endpoint, const ServerKeys* keys = nullptr);
  // Connects now and by itself again whenever the connection is lost.
  static Result<Socket> dealer(const std::string& endpoint, const PeerKeys* keys = nullptr);

  Socket(Socket&&) noexcept;
  Socket& operator=(Socket&&) noexcept;
  ~Socket();

  // One more address for a router: with keys if the first has them, else without. The secret may be
  // another; the table of allowed keys is the first one's. (libzmq cannot serve the clear and keys by one
  // socket.)
  Status bind(const std::string& endpoint, const ServerKeys* keys = nullptr);
  // `endpoint`: as endpoints() has it. Its connections are closed; the address is free a little later.
  void unbind(const std::string& endpoint);

  // The address that was bound or connected last, with the port that was chosen for "*".
  std::string endpoint() const;
  const std::vector<std::string>& endpoints() const;  // of a router: all that are bound
  // Of a dealer with a tcp address: hands are shaken and the connection was not lost since. May lag behind.
  bool connected();
  // Of a dealer with a tcp address; nothing: libzmq does not tell. May lag behind.
  std::optional<Link> link();
  // Of a router with a tcp address: peers that have spoken and whose connection ended since the last call.
  // They may come back under another routing id.
  std::vector<std::string> lost_peers();
  // A router's owner turned a message away: counted, and told like those that the router itself refuses.
  void count(std::uint64_t RefusalCounts::*which);
  // Of a router: connections and messages that were turned away so far.
  RefusalCounts refusals() const;

  // False: the peer is gone or its queue is full; nothing was sent.
  bool send(std::string_view bytes);
  bool send_to(std::string_view peer, std::string_view bytes);
  // The next message if one is there. Messages with another number of frames, and those that are too large,
  // are dropped; a router counts them. Nothing, too, when 256 have been dropped in a row: others may
  // follow.
  std::optional<Received> receive();
  // Of a router: what receive() has dropped since the last call; after 1,000 the rest is counted only.
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

// Waits for sockets and file descriptors together; also until a connection of one of these sockets begins
// or ends, so that what connected() and lost_peers() tell is not learned late.
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
  std::vector<void*> watched_;  // tell of connections of these sockets; have no position
};

}  // namespace kernsweep
