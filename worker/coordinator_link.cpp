#include "worker/coordinator_link.hpp"

#include <algorithm>

#include "shared/base/log.hpp"
#include "shared/base/try.hpp"
#include "shared/keys/secret_file.hpp"

namespace kernsweep::worker {
namespace {

constexpr Duration kPatienceLeast = std::chrono::seconds(2);
constexpr Duration kPatienceMost = std::chrono::seconds(10);

}  // namespace

Result<CoordinatorLink> CoordinatorLink::to(const std::string& endpoint) {
  CoordinatorLink link;
  link.endpoints_ = {endpoint};
  KS_RETURN_IF_ERROR(link.connect(monotonic_now()));
  return link;
}

Result<CoordinatorLink> CoordinatorLink::by_join_file(const std::string& path) {
  CoordinatorLink link;
  link.path_ = path;
  KS_RETURN_IF_ERROR(link.read_file());
  KS_RETURN_IF_ERROR(link.connect(monotonic_now()));
  return link;
}

Status CoordinatorLink::read_file() {
  state_ = state_of_file(path_);
  KS_ASSIGN_OR_RETURN(auto file, read_join_file(path_));
  if (file.role != KeyRole::worker) {
    return failure(path_ + " is a client's join file; a worker has its own, without '.client' in its name");
  }
  endpoints_ = std::move(file.endpoints);
  keys_ = PeerKeys{file.coordinator, file.own};
  at_ = tries_ = 0;
  return Done{};
}

Status CoordinatorLink::connect(Instant now) {
  connect_began_ = now;
  lost_.reset();
  KS_ASSIGN_OR_RETURN(socket_, Socket::dealer(endpoints_[at_], keys_ ? &*keys_ : nullptr));
  hello_connection_.reset();
  return Done{};
}

bool CoordinatorLink::broken() {
  const Link link = socket_->link().value_or(Link{});
  return link.connections > 0 && !link.connected;
}

bool CoordinatorLink::needs_hello() {
  return !hello_connection_ || socket_->link().value_or(Link{}).connections > *hello_connection_;
}

bool CoordinatorLink::has_queued_hello() {
  const auto link = socket_->link();
  return link && hello_connection_ && *hello_connection_ > link->connections;
}

// A message that is sent without a connection waits in the socket for the next connection.
void CoordinatorLink::hello_sent() {
  const Link link = socket_->link().value_or(Link{});
  hello_connection_ = link.connections + (link.connected ? 0 : 1);
  if (link.connected) {  // a later loss of the connection is counted separately
    lost_.reset();
    tries_ = 0;
  }
}

void CoordinatorLink::try_next_address(Instant now) {
  if (path_.empty()) return;  // libzmq retries a single address automatically
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
    if (now - lost_.value_or(connect_began_) < std::min(kPatienceLeast * round, kPatienceMost)) return;
    at_ = (at_ + 1) % endpoints_.size();
    ++tries_;
  }
  if (const Status connected = connect(now); !connected)
    log_line(LogLevel::warning, connected.error().message);
}

std::string CoordinatorLink::addresses() const {
  std::string text;
  for (const std::string& endpoint : endpoints_) text += (text.empty() ? "" : " or ") + endpoint;
  return text;
}

std::string CoordinatorLink::coordinator_id() const {
  return keys_ ? "key " + z85_of(keys_->server) : endpoints_.front();
}

}  // namespace kernsweep::worker
