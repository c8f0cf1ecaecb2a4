// The events of one socket's connections, from libzmq. Private to transport/; same thread as the socket.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#include <zmq.hpp>

namespace kernsweep {

class ConnectionMonitor {
 public:
  // Throws zmq::error_t.
  explicit ConnectionMonitor(zmq::socket_t& socket);
  ~ConnectionMonitor();
  ConnectionMonitor(const ConnectionMonitor&) = delete;
  ConnectionMonitor& operator=(const ConnectionMonitor&) = delete;

  // Reads the events since the last call; never waits. Returns the number of failed handshakes among them,
  // except those with a key that is not allowed. Must be called often, because unread events use memory.
  std::uint32_t look();
  // Records that a message of `peer` arrived on this descriptor, so that take_lost() can name the peer when
  // the connection ends. Returns the same as look().
  std::uint32_t spoke(int descriptor, const std::string& peer);
  // Readable if look() has something to read.
  void* events() { return events_.handle(); }
  // Peers whose connection has ended since the last call, as of the last look().
  std::vector<std::string> take_lost() { return std::exchange(lost_, {}); }
  // As of the last look(): a connection has finished its handshake. For a socket with one peer.
  bool connected() const { return connected_; }
  // As of the last look(): the number of finished handshakes.
  std::uint32_t connections() const { return connections_; }

 private:
  std::uint32_t ended(int descriptor);

  zmq::socket_t* watched_;
  zmq::socket_t events_;
  bool connected_ = false;
  std::uint32_t connections_ = 0;
  std::unordered_map<int, std::string> peers_;  // by descriptor
  std::vector<std::string> lost_;
  std::uint32_t unspoken_ = 0;  // finished handshakes without a message yet
  std::uint32_t failed_ = 0;    // reported as failed, but not yet as ended
};

}  // namespace kernsweep
