#include "transport/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>
#include <zmq.hpp>

#include "shared/base/log.hpp"
#include "shared/base/try.hpp"
#include "transport/context.hpp"
#include "transport/endpoints.hpp"
#include "transport/monitor.hpp"
#include "transport/zap.hpp"

namespace kernsweep {

zmq::context_t& zeromq_context() {
  static auto* const instance = new zmq::context_t(1);
  return *instance;
}

namespace {

constexpr int kQueueMessages = 20000;
constexpr int kLingerMs = 500;
constexpr std::size_t kDroppedMax = 1000;
constexpr int kDroppedAtOnce = 256;  // messages; then receive() returns, to let its caller do other work
constexpr int kPingEveryMs = 2000;
constexpr int kPingPatienceMs = 10000;
constexpr int kKeepaliveS = 30;
// Maximum time of a handshake, also if the key was refused.
constexpr int kHandshakeMs = 10000;
// Maximum time of an attempt to connect. Without it, the system tries an unreachable address for minutes.
constexpr int kConnectMs = 3000;
// Pauses between attempts to connect: an attempt costs a packet or a handshake. A coordinator that is
// restarted may wait for its workers as long as the longest pause.
constexpr int kReconnectMs = 50;
constexpr int kReconnectMsMost = 500;

std::string reason_of(const zmq::error_t& error, const std::string& endpoint) {
  std::string reason = "cannot use the address '" + endpoint + "': " + error.what();
  if (error.num() == EADDRINUSE) reason += "; another program listens there: choose another port";
  if (error.num() == EINVAL || error.num() == EPROTONOSUPPORT) {
    reason += "; write it as tcp://HOST:PORT, for example tcp://127.0.0.1:7777";
  }
  if (error.num() == EADDRNOTAVAIL) reason += "; no interface of this machine has that address";
  if (error.num() == ENODEV) {
    reason +=
        "; its HOST is no IP address, no host name, and no network interface of this machine "
        "with an address";
  }
  return reason;
}

void set_common(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::sndhwm, kQueueMessages);
  socket.set(zmq::sockopt::rcvhwm, kQueueMessages);
  socket.set(zmq::sockopt::linger, kLingerMs);
  socket.set(zmq::sockopt::maxmsgsize, kMessageBytesMax);
}

// libzmq copies these when it binds or connects. With `ipv6` it interprets "*" as all addresses of both
// versions, falls back to version 4 if the system has no version 6, and prefers the version 6 address of a
// name.
void set_for_endpoint(zmq::socket_t& socket, const std::string& endpoint) {
  socket.set(zmq::sockopt::ipv6, needs_version_6(endpoint));
  if (!is_tcp(endpoint)) {
    socket.set(zmq::sockopt::heartbeat_ivl, 0);
    return;
  }
  // Detects a peer that disappeared without closing the connection (power, cable, NAT), so that a new
  // connection is tried.
  socket.set(zmq::sockopt::heartbeat_ivl, kPingEveryMs);
  socket.set(zmq::sockopt::heartbeat_timeout, kPingPatienceMs);
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::tcp_keepalive_idle, kKeepaliveS);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
  socket.set(zmq::sockopt::connect_timeout, kConnectMs);
}

zmq::const_buffer bytes_of(const CurveKey& key) {
  return zmq::buffer(key.data(), key.size());
}

}  // namespace

struct Socket::Handle {
  zmq::socket_t socket;
  bool routes = false;
  std::vector<std::string> bound;
  std::shared_ptr<const AllowedKeys> allowed;
  std::shared_ptr<Refusals> refusals;
  std::unique_ptr<ZapDomain> domain;
  std::unique_ptr<ConnectionMonitor> monitor;
  std::vector<Dropped> dropped;

  // Throws zmq::error_t.
  Status watch(const ServerKeys& keys) {
    allowed = keys.allowed;
    KS_ASSIGN_OR_RETURN(domain, ZapDomain::open(allowed, refusals));
    return Done{};
  }
};

Socket::Socket(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Socket::Socket(Socket&&) noexcept = default;
Socket& Socket::operator=(Socket&&) noexcept = default;
Socket::~Socket() = default;

Result<Socket> Socket::router(const std::string& endpoint, const ServerKeys* keys) {
  try {
    auto handle = std::make_unique<Handle>();
    handle->socket = zmq::socket_t(zeromq_context(), ZMQ_ROUTER);
    handle->routes = true;
    handle->refusals =
        std::make_shared<Refusals>([](const std::string& line) { log_line(LogLevel::warning, line); });
    handle->socket.set(zmq::sockopt::router_mandatory, true);
    set_common(handle->socket);
    handle->socket.set(zmq::sockopt::maxmsgsize, kMessageBytesEnd);
    Socket socket(std::move(handle));
    KS_RETURN_IF_ERROR(socket.bind(endpoint, keys));
    return socket;
  } catch (const zmq::error_t& error) {
    return failure(reason_of(error, endpoint));
  }
}

Status Socket::bind(const std::string& endpoint, const ServerKeys* keys) {
  KS_ASSERT(handle_->routes);
  KS_ASSERT(handle_->bound.empty() || (keys != nullptr) == (handle_->domain != nullptr));
  KS_RETURN_IF_ERROR(check_port(endpoint));
  const std::string address = endpoint_to_bind(endpoint);
  try {
    zmq::socket_t& socket = handle_->socket;
    set_for_endpoint(socket, address);
    if (keys && !handle_->domain) {
      KS_RETURN_IF_ERROR(handle_->watch(*keys));
    }
    // For this address only: libzmq copies the options when it binds.
    socket.set(zmq::sockopt::curve_server, keys != nullptr);
    if (keys) {
      socket.set(zmq::sockopt::zap_domain, handle_->domain->name());
      socket.set(zmq::sockopt::curve_secretkey, bytes_of(keys->secret));
    }
    if (is_tcp(address) && !handle_->monitor)
      handle_->monitor = std::make_unique<ConnectionMonitor>(socket);
    socket.bind(address);
    handle_->bound.push_back(this->endpoint());
    return Done{};
  } catch (const zmq::error_t& error) {
    return failure(reason_of(error, endpoint));
  }
}

void Socket::unbind(const std::string& endpoint) {
  std::erase(handle_->bound, endpoint);
  try {
    handle_->socket.unbind(endpoint);
  } catch (const zmq::error_t&) {  // it was not bound
  }
}

Result<Socket> Socket::dealer(const std::string& endpoint, const PeerKeys* keys) {
  KS_RETURN_IF_ERROR(check_port(endpoint));
  try {
    auto handle = std::make_unique<Handle>();
    handle->socket = zmq::socket_t(zeromq_context(), ZMQ_DEALER);
    set_common(handle->socket);
    set_for_endpoint(handle->socket, endpoint);
    handle->socket.set(zmq::sockopt::reconnect_ivl, kReconnectMs);
    handle->socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMsMost);
    if (keys) {
      handle->socket.set(zmq::sockopt::curve_serverkey, bytes_of(keys->server));
      handle->socket.set(zmq::sockopt::curve_publickey, bytes_of(keys->own.public_key));
      handle->socket.set(zmq::sockopt::curve_secretkey, bytes_of(keys->own.secret_key));
    }
    if (is_tcp(endpoint)) handle->monitor = std::make_unique<ConnectionMonitor>(handle->socket);
    handle->socket.connect(endpoint);
    return Socket(std::move(handle));
  } catch (const zmq::error_t& error) {
    return failure(reason_of(error, endpoint));
  }
}

std::string Socket::endpoint() const {
  return handle_->socket.get(zmq::sockopt::last_endpoint);
}

const std::vector<std::string>& Socket::endpoints() const {
  return handle_->bound;
}

bool Socket::connected() {
  const auto known = link();
  return known && known->connected;
}

std::optional<Link> Socket::link() {
  look_around();
  if (!handle_->monitor) return std::nullopt;
  return Link{handle_->monitor->connections(), handle_->monitor->connected()};
}

RefusalCounts Socket::refusals() const {
  return handle_->refusals ? handle_->refusals->counts() : RefusalCounts{};
}

std::vector<std::string> Socket::lost_peers() {
  look_around();
  return handle_->monitor ? handle_->monitor->take_lost() : std::vector<std::string>();
}

void Socket::count(std::uint64_t RefusalCounts::*which) {
  if (handle_->refusals) handle_->refusals->count(which, monotonic_now());
}

void Socket::look_around() {
  if (!handle_->monitor) return;
  try {
    count_strangers(handle_->monitor->look());
  } catch (const zmq::error_t&) {  // EINTR: the rest comes with the next call
  }
  if (handle_->refusals) handle_->refusals->tell_if_due(monotonic_now());
}

void Socket::count_strangers(std::uint32_t strangers) {
  if (!handle_->domain) return;
  for (; strangers > 0; --strangers)
    handle_->refusals->count(&RefusalCounts::no_handshake, monotonic_now());
}

// libzmq attaches to each message its descriptor and, as User-Id, the key that was accepted for the
// connection. That key may have been revoked since.
bool Socket::permitted(Received& received, void* frame) {
  auto* const message = static_cast<zmq_msg_t*>(frame);
  count_strangers(handle_->monitor->spoke(zmq_msg_get(message, ZMQ_SRCFD), received.peer));
  const char* const user = handle_->allowed ? zmq_msg_gets(message, "User-Id") : nullptr;
  if (!user) return true;  // not encrypted
  received.key = handle_->allowed->find(user);
  if (received.key) return true;
  handle_->refusals->count(&RefusalCounts::revoked, monotonic_now());
  return false;
}

namespace {

// A message lost for lack of memory would be missing for the rest of its session, without an error. So the
// program ends, as for any other lack of memory.
void end_if_without_memory(const zmq::error_t& error) {
  if (error.num() != ENOMEM) return;
  if (const std::new_handler end = std::get_new_handler()) end();
  throw std::bad_alloc();
}

}  // namespace

bool Socket::send(std::string_view bytes) {
  try {
    return handle_->socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait).has_value();
  } catch (const zmq::error_t& error) {
    end_if_without_memory(error);
    return false;
  }
}

bool Socket::send_to(std::string_view peer, std::string_view bytes) {
  try {
    const auto flags = zmq::send_flags::dontwait | zmq::send_flags::sndmore;
    if (!handle_->socket.send(zmq::buffer(peer), flags)) return false;
    return handle_->socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait).has_value();
  } catch (const zmq::error_t& error) {  // EHOSTUNREACH: the peer is gone
    end_if_without_memory(error);
    return false;
  }
}

void Socket::drop(std::string peer, std::uint64_t RefusalCounts::*why) {
  if (!handle_->routes) return;
  count(why);
  if (handle_->dropped.size() < kDroppedMax) handle_->dropped.push_back({std::move(peer), why});
}

std::vector<Dropped> Socket::take_dropped() {
  return std::exchange(handle_->dropped, {});
}

std::optional<Received> Socket::receive() {
  for (int dropped = 0; dropped < kDroppedAtOnce;) {
    try {
      Received received;
      std::size_t frames = 0;
      bool more = true;
      bool known = true;
      bool fits = true;
      while (more) {
        zmq::message_t frame;
        if (!handle_->socket.recv(frame, zmq::recv_flags::dontwait)) {
          look_around();
          return std::nullopt;
        }
        ++frames;
        more = frame.more();
        if (handle_->routes && frames == 1) {
          received.peer = frame.to_string();
        } else {
          fits = fits && frame.size() <= static_cast<std::size_t>(kMessageBytesMax);
          if (fits) received.bytes.assign(static_cast<const char*>(frame.data()), frame.size());
          if (handle_->routes && handle_->monitor && !more) known = permitted(received, frame.handle());
        }
      }
      ++dropped;
      if (!known) continue;
      const bool whole = frames == (handle_->routes ? 2U : 1U);
      if (whole && fits) return received;
      drop(std::move(received.peer), fits ? &RefusalCounts::unreadable : &RefusalCounts::too_large);
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) return std::nullopt;
    }
  }
  return std::nullopt;
}

void Poll::add(const Socket& socket) {
  items_.push_back({socket.handle_->socket.handle(), -1, false});
  if (socket.handle_->monitor) watched_.push_back(socket.handle_->monitor->events());
}

void Poll::add_readable(int descriptor) {
  items_.push_back({nullptr, descriptor, false});
}

void Poll::clear() {
  items_.clear();
  watched_.clear();
}

int Poll::wait(Duration limit) {
  std::vector<zmq::pollitem_t> polled;
  polled.reserve(items_.size() + watched_.size());
  for (const Item& item : items_) polled.push_back({item.socket, item.descriptor, ZMQ_POLLIN, 0});
  for (void* const events : watched_) polled.push_back({events, -1, ZMQ_POLLIN, 0});
  // Rounded up: a wait that ends just before its deadline would be repeated in a busy loop. A deadline in
  // the past must not become a negative number, which means no limit.
  const auto limit_ms = std::chrono::ceil<std::chrono::milliseconds>(std::max(limit, Duration::zero()));
  try {
    zmq::poll(polled, limit_ms);
  } catch (const zmq::error_t&) {  // EINTR: a signal arrived; the caller looks at its flags
    for (Item& item : items_) item.readable = false;
    return 0;
  }
  int count = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    items_[i].readable = (polled[i].revents & (ZMQ_POLLIN | ZMQ_POLLERR)) != 0;
    count += items_[i].readable ? 1 : 0;
  }
  return count;
}

bool Poll::readable(std::size_t position) const {
  KS_ASSERT(position < items_.size());
  return items_[position].readable;
}

}  // namespace kernsweep
