#include "transport/monitor.hpp"

#include <cstring>
#include <string>

#include "shared/base/digest.hpp"
#include "shared/base/random_token.hpp"
#include "transport/context.hpp"

namespace kernsweep {
namespace {

constexpr int kWanted = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                        ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                        ZMQ_EVENT_DISCONNECTED;

}  // namespace

ConnectionMonitor::ConnectionMonitor(zmq::socket_t& socket)
    : watched_(&socket), events_(zeromq_context(), ZMQ_PAIR) {
  const std::string address = "inproc://kernsweep-monitor-" + digest_of(random_token()).hex();
  if (zmq_socket_monitor(socket.handle(), address.c_str(), kWanted) != 0) throw zmq::error_t();
  events_.set(zmq::sockopt::linger, 0);
  // No limit: a full queue of events would block libzmq's I/O thread, and with it every connection.
  events_.set(zmq::sockopt::rcvhwm, 0);
  events_.connect(address);
}

ConnectionMonitor::~ConnectionMonitor() {
  if (watched_->handle() != nullptr) zmq_socket_monitor(watched_->handle(), nullptr, 0);
}

std::uint32_t ConnectionMonitor::look() {
  std::uint32_t strangers = 0;
  zmq::message_t frame;
  while (events_.recv(frame, zmq::recv_flags::dontwait)) {
    std::uint16_t event = 0;  // first frame: 16 bits of event, 32 of value; second: the address
    std::int32_t value = -1;
    if (frame.size() >= sizeof event + sizeof value) {
      std::memcpy(&event, frame.data(), sizeof event);
      std::memcpy(&value, static_cast<const char*>(frame.data()) + sizeof event, sizeof value);
    }
    while (frame.more()) (void)events_.recv(frame, zmq::recv_flags::dontwait);
    if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
      connected_ = true;
      ++connections_;
      ++unspoken_;
    } else if (event == ZMQ_EVENT_DISCONNECTED) {
      connected_ = false;
      strangers += ended(value);
    } else {
      ++failed_;
      if (event != ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) ++strangers;
    }
  }
  return strangers;
}

// libzmq closes a connection without another event if its first bytes do not follow its protocol. So an end
// that no earlier event explains is counted as a failed handshake: returns 1.
std::uint32_t ConnectionMonitor::ended(int descriptor) {
  const auto known = peers_.find(descriptor);
  if (known != peers_.end()) {
    lost_.push_back(std::move(known->second));
    peers_.erase(known);
    return 0;
  }
  for (std::uint32_t* expected : {&failed_, &unspoken_}) {
    if (*expected == 0) continue;
    --*expected;
    return 0;
  }
  return 1;
}

std::uint32_t ConnectionMonitor::spoke(int descriptor, const std::string& peer) {
  const auto known = peers_.find(descriptor);
  if (descriptor < 0 || (known != peers_.end() && known->second == peer)) return 0;
  // The system reuses descriptors: the previous connection's end is an event before this message.
  const std::uint32_t strangers = look();
  if (unspoken_ > 0) --unspoken_;
  peers_[descriptor] = peer;
  return strangers;
}

}  // namespace kernsweep
