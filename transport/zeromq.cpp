#include "transport/zeromq.hpp"

#include <algorithm>
#include <cerrno>
#include <zmq.hpp>

namespace kernsweep {
namespace {

constexpr int kQueueMessages = 20000;
constexpr int kLingerMs = 500;
constexpr std::int64_t kMessageBytesMax = 256LL << 20;

// One context per process, with one I/O thread; it is never torn down, so that no exit waits for a peer.
zmq::context_t& context() {
  static auto* const instance = new zmq::context_t(1);
  return *instance;
}

std::string reason_of(const zmq::error_t& error, const std::string& endpoint) {
  std::string reason = "cannot use the address '" + endpoint + "': " + error.what();
  if (error.num() == EADDRINUSE) reason += "; another program listens there: choose another port";
  if (error.num() == EINVAL || error.num() == EPROTONOSUPPORT) {
    reason += "; write it as tcp://HOST:PORT, for example tcp://127.0.0.1:7777";
  }
  if (error.num() == ENODEV || error.num() == EADDRNOTAVAIL) {
    reason += "; no interface of this machine has that address";
  }
  return reason;
}

// libzmq takes a port modulo 65536: tcp://*:70000 would listen on 4464 without a word.
Status port_exists(const std::string& endpoint) {
  if (!endpoint.starts_with("tcp://")) return Done{};
  const std::string port = endpoint.substr(endpoint.rfind(':') + 1);
  if (port.empty() || port.find_first_not_of("0123456789") != std::string::npos)
    return Done{};  // libzmq's matter
  if (port.size() <= 5 && std::stoul(port) <= 65535) return Done{};
  return failure("cannot use the address '" + endpoint + "': there is no port " + port +
                 "; choose one from 1024 to 65535");
}

}  // namespace

struct Socket::Handle {
  zmq::socket_t socket;
  bool routes = false;
};

Socket::Socket(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Socket::Socket(Socket&&) noexcept = default;
Socket& Socket::operator=(Socket&&) noexcept = default;
Socket::~Socket() = default;

Result<Socket> Socket::router(const std::string& endpoint) {
  if (const Status exists = port_exists(endpoint); !exists) return tl::unexpected(exists.error());
  try {
    auto handle = std::make_unique<Handle>(Handle{zmq::socket_t(context(), ZMQ_ROUTER), true});
    handle->socket.set(zmq::sockopt::router_mandatory, true);
    handle->socket.set(zmq::sockopt::sndhwm, kQueueMessages);
    handle->socket.set(zmq::sockopt::rcvhwm, kQueueMessages);
    handle->socket.set(zmq::sockopt::linger, kLingerMs);
    handle->socket.set(zmq::sockopt::maxmsgsize, kMessageBytesMax);
    handle->socket.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);
    handle->socket.bind(endpoint);
    return Socket(std::move(handle));
  } catch (const zmq::error_t& error) {
    return failure(reason_of(error, endpoint));
  }
}

Result<Socket> Socket::dealer(const std::string& endpoint) {
  if (const Status exists = port_exists(endpoint); !exists) return tl::unexpected(exists.error());
  try {
    auto handle = std::make_unique<Handle>(Handle{zmq::socket_t(context(), ZMQ_DEALER), false});
    handle->socket.set(zmq::sockopt::sndhwm, kQueueMessages);
    handle->socket.set(zmq::sockopt::rcvhwm, kQueueMessages);
    handle->socket.set(zmq::sockopt::linger, kLingerMs);
    handle->socket.set(zmq::sockopt::maxmsgsize, kMessageBytesMax);
    handle->socket.set(zmq::sockopt::reconnect_ivl, 50);
    handle->socket.set(zmq::sockopt::reconnect_ivl_max, 2000);
    handle->socket.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);
    handle->socket.connect(endpoint);
    return Socket(std::move(handle));
  } catch (const zmq::error_t& error) {
    return failure(reason_of(error, endpoint));
  }
}

std::string Socket::endpoint() const {
  return handle_->socket.get(zmq::sockopt::last_endpoint);
}

bool Socket::send(std::string_view bytes) {
  try {
    return handle_->socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait).has_value();
  } catch (const zmq::error_t&) {
    return false;
  }
}

bool Socket::send_to(std::string_view peer, std::string_view bytes) {
  try {
    const auto flags = zmq::send_flags::dontwait | zmq::send_flags::sndmore;
    if (!handle_->socket.send(zmq::buffer(peer), flags)) return false;
    return handle_->socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait).has_value();
  } catch (const zmq::error_t&) {  // EHOSTUNREACH: the peer is gone
    return false;
  }
}

std::optional<Received> Socket::receive() {
  while (true) {
    try {
      Received received;
      std::size_t frames = 0;
      bool more = true;
      while (more) {
        zmq::message_t frame;
        if (!handle_->socket.recv(frame, zmq::recv_flags::dontwait)) return std::nullopt;
        ++frames;
        more = frame.more();
        if (handle_->routes && frames == 1) {
          received.peer = frame.to_string();
        } else {
          received.bytes.assign(static_cast<const char*>(frame.data()), frame.size());
        }
      }
      if (frames == (handle_->routes ? 2U : 1U)) return received;
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) return std::nullopt;
    }
  }
}

void Poll::add(const Socket& socket) {
  items_.push_back({socket.handle_->socket.handle(), -1, false});
}

void Poll::add_readable(int descriptor) {
  items_.push_back({nullptr, descriptor, false});
}

void Poll::clear() {
  items_.clear();
}

int Poll::wait(Duration limit) {
  std::vector<zmq::pollitem_t> polled;
  polled.reserve(items_.size());
  for (const Item& item : items_) polled.push_back({item.socket, item.descriptor, ZMQ_POLLIN, 0});
  // Rounded up: a wait that ends just before its deadline would spin. A deadline that has passed must not
  // become a negative number, which means forever.
  const auto limit_ms = std::chrono::ceil<std::chrono::milliseconds>(std::max(limit, Duration::zero()));
  int count = 0;
  try {
    count = zmq::poll(polled, limit_ms);
  } catch (const zmq::error_t&) {  // EINTR: a signal arrived; the caller looks at its flags
    for (Item& item : items_) item.readable = false;
    return 0;
  }
  for (std::size_t i = 0; i < items_.size(); ++i)
    items_[i].readable = (polled[i].revents & (ZMQ_POLLIN | ZMQ_POLLERR)) != 0;
  return count;
}

bool Poll::readable(std::size_t position) const {
  KS_ASSERT(position < items_.size());
  return items_[position].readable;
}

}  // namespace kernsweep
