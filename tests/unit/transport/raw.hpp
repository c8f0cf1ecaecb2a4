// The other end of a connection, as our own code would never behave.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep::testing_transport {

// A bare ZeroMQ DEALER that sends as many frames as it likes.
class RawDealer {
 public:
  explicit RawDealer(const std::string& endpoint) : context_(zmq_ctx_new()) {
    socket_ = zmq_socket(context_, ZMQ_DEALER);
    const int linger = 0;
    KS_ASSERT(zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof linger) == 0);
    KS_ASSERT(zmq_connect(socket_, endpoint.c_str()) == 0);
  }
  ~RawDealer() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  RawDealer(const RawDealer&) = delete;
  RawDealer& operator=(const RawDealer&) = delete;

  void send(const std::vector<std::string>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const int more = i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
      KS_ASSERT(zmq_send(socket_, frames[i].data(), frames[i].size(), more) >= 0);
    }
  }

 private:
  void* context_;
  void* socket_;
};

// A ROUTER of libzmq's own, which answers with as many frames as it likes.
class RawRouter {
 public:
  explicit RawRouter(const std::string& endpoint) : context_(zmq_ctx_new()) {
    socket_ = zmq_socket(context_, ZMQ_ROUTER);
    const int linger = 0;
    const int limit_ms = 10000;
    KS_ASSERT(zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof linger) == 0);
    KS_ASSERT(zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &limit_ms, sizeof limit_ms) == 0);
    KS_ASSERT(zmq_bind(socket_, endpoint.c_str()) == 0);
  }
  ~RawRouter() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  RawRouter(const RawRouter&) = delete;
  RawRouter& operator=(const RawRouter&) = delete;

  // Takes one message and returns its sender.
  std::string take() {
    char peer[256];
    const int size = zmq_recv(socket_, peer, sizeof peer, 0);
    KS_ASSERT(size >= 0);
    char rest[256];
    KS_ASSERT(zmq_recv(socket_, rest, sizeof rest, 0) >= 0);
    return {peer, static_cast<std::size_t>(size)};
  }
  void send(const std::string& peer, const std::vector<std::string>& frames) {
    KS_ASSERT(zmq_send(socket_, peer.data(), peer.size(), frames.empty() ? 0 : ZMQ_SNDMORE) >= 0);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const int more = i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
      KS_ASSERT(zmq_send(socket_, frames[i].data(), frames[i].size(), more) >= 0);
    }
  }

 private:
  void* context_;
  void* socket_;
};

// A TCP connection of no protocol at all. `endpoint`: tcp://127.0.0.1:<port>.
class Stranger {
 public:
  explicit Stranger(const std::string& endpoint) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    KS_ASSERT(connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  ~Stranger() { close(descriptor_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  // Sends as much as the other side takes before it disconnects.
  void say(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent = ::send(descriptor_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<std::size_t>(sent);
    }
  }

 private:
  int descriptor_;
};

}  // namespace kernsweep::testing_transport
