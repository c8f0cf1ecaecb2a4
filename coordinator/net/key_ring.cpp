#include "coordinator/net/key_ring.hpp"

#include <unistd.h>

#include <algorithm>

#include "shared/base/log.hpp"
#include "shared/base/try.hpp"
#include "shared/keys/join_file.hpp"
#include "shared/keys/join_files.hpp"
#include "shared/keys/key_changes.hpp"
#include "shared/keys/secret_file.hpp"
#include "transport/endpoints.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr Duration kKeysLookEvery = std::chrono::seconds(1);

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

std::string port_of(const std::string& endpoint) {
  return endpoint.substr(endpoint.rfind(':') + 1);
}

std::string with_port(const std::string& endpoint, const std::string& port) {
  return endpoint.substr(0, endpoint.rfind(':') + 1) + port;
}

const KnownKey* key_of(const KeyFile& keys, const CurveKey& public_key) {
  const auto found = std::ranges::find(keys.keys, public_key, &KnownKey::public_key);
  return found == keys.keys.end() ? nullptr : &*found;
}

}  // namespace

KeyRing::KeyRing(std::string join, std::vector<std::string> advertised)
    : join_(std::move(join)), path_(key_path_of(join_)), advertised_(std::move(advertised)) {}

Result<std::unique_ptr<KeyRing>> KeyRing::open(const std::string& join,
                                               std::vector<std::string> advertised) {
  for (const std::string& endpoint : advertised) {
    if (is_tcp(endpoint) && endpoint.rfind(':') > std::string_view("tcp:").size()) continue;
    return failure("--advertise " + endpoint + ": write it as tcp://HOST:PORT");
  }
  // Checked here, before the database is created; publish() would find it only later.
  KS_RETURN_IF_ERROR(may_write_beside(join));
  std::unique_ptr<KeyRing> ring(new KeyRing(join, std::move(advertised)));
  KS_RETURN_IF_ERROR(ring->read_files());
  ring->accept_keys();
  return ring;
}

Status KeyRing::read_files() {
  if (!exists(path_)) {
    if (exists(join_)) {
      return failure("there is a join file " + join_ + " but no " + path_ +
                     " with the coordinator's own key; bring that file back, or remove " + join_ +
                     " to start over");
    }
    keys_.secret = make_key_pair().secret_key;
    return Done{};
  }
  KS_ASSIGN_OR_RETURN(keys_, read_key_file(path_));
  seen_ = state_of_file(path_);
  for (const char* name : {kWorkerKey, kClientKey}) {
    const std::string path = join_path_of(path_, name);
    if (!exists(path)) continue;
    KS_ASSIGN_OR_RETURN(const auto join, read_join_file(path));
    if (key_of(keys_, join.own.public_key)) continue;
    return failure(path + " does not belong to " + path_ + ", which does not know its key; remove " + path +
                   " to have a new one written, or choose another name with --join");
  }
  return Done{};
}

void KeyRing::accept_keys() {
  const UnixSeconds now = unix_seconds_now();
  std::vector<AllowedKey> allowed;
  names_.clear();
  for (const KnownKey& key : keys_.keys) {
    if (!key.accepted(now)) continue;
    allowed.push_back({key.public_key, {key.name, key.role}});
    names_.insert(key.name);
  }
  allowed_->replace(allowed);
}

Result<Socket> KeyRing::listen(const std::vector<std::string>& endpoints) {
  KS_ASSERT(!endpoints.empty());
  const bool overlap = keys_.former && unix_seconds_now() < keys_.former->until;
  const ServerKeys main{overlap ? keys_.former->secret : keys_.secret, allowed_};
  auto socket = Socket::router(endpoints.front(), &main);
  if (!socket) return socket;
  for (std::size_t i = 1; i < endpoints.size(); ++i) {
    KS_RETURN_IF_ERROR(socket->bind(endpoints[i], &main));
  }
  for (std::size_t i = 0; i < endpoints.size(); ++i)
    addresses_.push_back({socket->endpoints()[i], socket->endpoints()[i], main.secret, false});
  settle(*socket);
  return socket;
}

std::vector<std::string> KeyRing::published_endpoints() const {
  // Addresses that use the current secret key come first; the others will use it after the overlap.
  std::vector<std::string> endpoints;
  for (const bool present : {true, false}) {
    for (const Address& address : addresses_) {
      if (address.bound.empty() || (address.secret == keys_.secret) != present) continue;
      std::vector<std::string> reached = reachable_endpoints(address.bound);
      if (!advertised_.empty()) {
        reached = advertised_;
        for (std::string& endpoint : reached) {
          if (address.extra || port_of(endpoint) == "*")
            endpoint = with_port(endpoint, port_of(address.bound));
        }
      }
      for (std::string& endpoint : reached) {
        if (std::ranges::find(endpoints, endpoint) == endpoints.end())
          endpoints.push_back(std::move(endpoint));
      }
    }
  }
  return endpoints;
}

// Adds a key and writes its join file, for one of the two keys that every coordinator has.
Status KeyRing::tell(const std::string& path, const std::string& name, KeyRole role) {
  if (exists(path)) return Done{};  // publish() updates it
  const KeyPair own = make_key_pair();
  keys_.keys.push_back({name, role, own.public_key, unix_seconds_now(), std::nullopt});
  KS_RETURN_IF_ERROR(write_key_file(path_, keys_));
  return write_join_file(path, join_file_for(keys_, name, role, own));
}

// Updates the addresses and the current key in the join files in the folder of the key file.
Status KeyRing::publish() {
  const FolderLock lock(path_);
  if (const std::string state = state_of_file(path_); state != seen_ && !state.empty()) read_again();
  keys_.endpoints = published_endpoints();
  KS_RETURN_IF_ERROR(write_key_file(path_, keys_));
  KS_RETURN_IF_ERROR(tell(join_path_of(path_, kClientKey), kClientKey, KeyRole::client));
  KS_RETURN_IF_ERROR(tell(join_, kWorkerKey, KeyRole::worker));
  accept_keys();
  KS_RETURN_IF_ERROR(renew_join_files(path_, keys_, unix_seconds_now()));
  seen_ = state_of_file(path_);
  return Done{};
}

void KeyRing::read_again() {
  auto read = read_key_file(path_);
  if (!read) {  // logged once; the keys that were read last stay in use
    if (read.error().message != complaint_) log_line(LogLevel::warning, read.error().message);
    complaint_ = read.error().message;
    return;
  }
  complaint_.clear();
  keys_ = std::move(*read);
}

bool KeyRing::look(Instant now, Socket& socket) {
  const bool waiting = std::ranges::any_of(addresses_, [](const auto& each) { return each.bound.empty(); });
  if (!waiting && now - looked_ < kKeysLookEvery) return false;
  looked_ = now;
  const std::string state = state_of_file(path_);
  if (state != seen_) {
    seen_ = state;
    read_again();
  }
  const auto before = names_;
  accept_keys();
  if (settle(socket)) {
    if (const Status published = publish(); !published)
      log_line(LogLevel::warning, published.error().message);
  }
  return names_ != before;
}

// Opens the addresses with the keys of the file. True: one was opened, so the join files must be written.
bool KeyRing::settle(Socket& socket) {
  const bool overlap = keys_.former && unix_seconds_now() < keys_.former->until;
  if (drop_addresses(socket, overlap))
    return false;  // libzmq closes asynchronously: open them in a later turn
  return open_addresses(socket);
}

bool KeyRing::drop_addresses(Socket& socket, bool overlap) {
  bool dropped = false;
  bool extra = false;
  for (Address& address : addresses_) {
    const CurveKey& wanted = overlap && !address.extra ? keys_.former->secret : keys_.secret;
    extra = extra || address.extra;
    if (address.secret == wanted) continue;
    if (!address.bound.empty()) socket.unbind(address.bound);
    dropped = true;
    address.bound.clear();
    address.secret = wanted;
  }
  if (!overlap || extra) return dropped;
  for (std::size_t i = addresses_.size(); i-- > 0;) {
    if (is_tcp(addresses_[i].configured))
      addresses_.push_back({with_port(addresses_[i].configured, "*"), "", keys_.secret, true});
  }
  return dropped;
}

bool KeyRing::open_addresses(Socket& socket) {
  bool opened = false;
  for (Address& address : addresses_) {
    if (!address.bound.empty()) continue;
    const ServerKeys keys{address.secret, allowed_};
    const Status bound = socket.bind(address.configured, &keys);
    if (!bound) continue;  // still closing; retried in the next turn
    address.bound = socket.endpoint();
    opened = true;
  }
  return opened && std::ranges::none_of(addresses_, [](const auto& each) { return each.bound.empty(); });
}

}  // namespace kernsweep::coordinator
