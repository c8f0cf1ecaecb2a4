#include "worker/dial.hpp"

#include <algorithm>

#include "shared/base/log.hpp"
#include "shared/keys/secret_file.hpp"

namespace kernsweep::worker {
namespace {

constexpr Duration kPatienceLeast = std::chrono::seconds(2);
constexpr Duration kPatienceMost = std::chrono::seconds(10);

}  // namespace

Result<Dial> Dial::to(const std::string& endpoint) {
  Dial dial;
  dial.endpoints_ = {endpoint};
  if (const Status connected = dial.connect(monotonic_now()); !connected)
    return tl::unexpected(connected.error());
  return dial;
}

Result<Dial> Dial::by_join_file(const std::string& path) {
  Dial dial;
  dial.path_ = path;
  if (const Status read = dial.read_file(); !read) return tl::unexpected(read.error());
  if (const Status connected = dial.connect(monotonic_now()); !connected)
    return tl::unexpected(connected.error());
  return dial;
}

Status Dial::read_file() {
  state_ = state_of_file(path_);
  auto file = read_join_file(path_);
  if (!file) return tl::unexpected(file.error());
  if (file->role != KeyRole::worker) {
    return failure(path_ + " is a client's join file; a worker has its own, without '.client' in its name");
  }
  endpoints_ = std::move(file->endpoints);
  keys_ = PeerKeys{file->coordinator, file->own};
  at_ = tries_ = 0;
  return Done{};
}

Status Dial::connect(Instant now) {
  dialled_ = now;
  lost_.reset();
  auto socket = Socket::dealer(endpoints_[at_], keys_ ? &*keys_ : nullptr);
  if (!socket) return tl::unexpected(socket.error());
  socket_ = std::move(*socket);
  greeted_.reset();
  return Done{};
}

bool Dial::broken() {
  const Link link = socket_->link().value_or(Link{});
  return link.connections > 0 && !link.connected;
}

bool Dial::needs_hello() {
  return !greeted_ || socket_->link().value_or(Link{}).connections > *greeted_;
}

bool Dial::waits() {
  const auto link = socket_->link();
  return link && greeted_ && *greeted_ > link->connections;
}

// What is said while there is no connection waits for the next one.
void Dial::said_hello() {
  const Link link = socket_->link().value_or(Link{});
  greeted_ = link.connections + (link.connected ? 0 : 1);
  if (link.connected) {  // whatever is lost later is another loss
    lost_.reset();
    tries_ = 0;
  }
}

void Dial::look_further(Instant now) {
  if (path_.empty()) return;  // libzmq tries the one address again by itself
  bool again = false;
  if (const std::string state = state_of_file(path_); !state.empty() && state != state_) {
    const Status read = read_file();
    again = read.has_value();
    if (!read && read.error().message != complaint_) log_line(LogLevel::warning, read.error().message);
    complaint_ = read ? "" : read.error().message;
  }
  if (!again) {
    if (endpoints_.size() < 2 || socket_->connected()) return;
    if (broken() && !lost_) lost_ = now;
    const auto round = static_cast<Duration::rep>(1 + tries_ / endpoints_.size());
    if (now - lost_.value_or(dialled_) < std::min(kPatienceLeast * round, kPatienceMost)) return;
    at_ = (at_ + 1) % endpoints_.size();
    ++tries_;
  }
  if (const Status connected = connect(now); !connected)
    log_line(LogLevel::warning, connected.error().message);
}

std::string Dial::where() const {
  std::string text;
  for (const std::string& endpoint : endpoints_) text += (text.empty() ? "" : " or ") + endpoint;
  return text;
}

std::string Dial::whom() const {
  return keys_ ? "key " + z85_of(keys_->server) : endpoints_.front();
}

}  // namespace kernsweep::worker
