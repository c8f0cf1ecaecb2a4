#include "transport/zap.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "shared/base/digest.hpp"
#include "shared/base/random_token.hpp"
#include "shared/base/try.hpp"
#include "transport/context.hpp"

namespace kernsweep {
namespace {

struct Domain {
  std::shared_ptr<const AllowedKeys> allowed;
  std::shared_ptr<Refusals> refusals;
};

// RFC 27: version, request, domain, address, identity, mechanism, then the key for CURVE.
constexpr std::size_t kCurveFrames = 7;
enum Frame : std::size_t { version, request, domain, address, identity, mechanism, client_key };

class Handler {
 public:
  Status start() {
    const std::lock_guard lock(mutex_);
    if (running_) return Done{};
    try {
      zmq::socket_t socket(zeromq_context(), ZMQ_REP);
      socket.set(zmq::sockopt::linger, 0);
      socket.bind("inproc://zeromq.zap.01");
      // The new thread blocks all signals, so that they reach the thread that waits for them.
      sigset_t all;
      sigset_t before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
      std::thread([this, mine = std::move(socket)]() mutable { serve(mine); }).detach();
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    } catch (const std::exception& error) {
      return failure("cannot watch over new connections: " + std::string(error.what()) +
                     "; nothing was opened");
    }
    running_ = true;
    return Done{};
  }
  void add(const std::string& name, Domain domain) {
    const std::lock_guard lock(mutex_);
    domains_[name] = std::move(domain);
  }
  void remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    domains_.erase(name);
  }

 private:
  void serve(zmq::socket_t& socket) {
    while (true) {
      try {
        answer(socket, read_request(socket));
      } catch (const zmq::error_t& error) {
        if (error.num() == ETERM) return;
      }
    }
  }

  static std::vector<std::string> read_request(zmq::socket_t& socket) {
    std::vector<std::string> frames;
    zmq::message_t frame;
    do {
      if (!socket.recv(frame, zmq::recv_flags::none)) continue;
      frames.push_back(frame.to_string());
    } while (frame.more());
    return frames;
  }

  void answer(zmq::socket_t& socket, const std::vector<std::string>& request_frames) {
    const std::optional<std::string> user = accepted_user(request_frames);
    const std::vector<std::string> reply = {"1.0",
                                            request_frames.size() > request ? request_frames[request] : "",
                                            user ? "200" : "300",
                                            "",
                                            user.value_or(""),
                                            ""};
    for (std::size_t i = 0; i < reply.size(); ++i) {
      const bool more = i + 1 < reply.size();
      socket.send(zmq::buffer(reply[i]), more ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }
  }

  // The public key as text; libzmq then attaches it to every message as User-Id. Nothing if the key is
  // rejected.
  std::optional<std::string> accepted_user(const std::vector<std::string>& request_frames) {
    CurveKey key{};
    if (request_frames.size() != kCurveFrames || request_frames[version] != "1.0" ||
        request_frames[mechanism] != "CURVE" || request_frames[client_key].size() != key.size())
      return std::nullopt;
    std::copy(request_frames[client_key].begin(), request_frames[client_key].end(), key.begin());
    const std::string user = z85_of(key);
    const std::optional<Domain> found = find(request_frames[domain]);
    if (!found) return std::nullopt;
    if (found->allowed->find(user)) return user;
    found->refusals->count(&RefusalCounts::unknown_key, monotonic_now());
    return std::nullopt;
  }

  std::optional<Domain> find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto at = domains_.find(name);
    if (at == domains_.end()) return std::nullopt;
    return at->second;
  }

  std::mutex mutex_;
  bool running_ = false;
  std::map<std::string, Domain> domains_;
};

Handler& handler() {
  static auto* const instance = new Handler;  // never destroyed: its thread does not end
  return *instance;
}

}  // namespace

Result<std::unique_ptr<ZapDomain>> ZapDomain::open(std::shared_ptr<const AllowedKeys> allowed,
                                                   std::shared_ptr<Refusals> refusals) {
  KS_RETURN_IF_ERROR(handler().start());
  std::unique_ptr<ZapDomain> domain(new ZapDomain(digest_of(random_token()).hex()));
  handler().add(domain->name(), Domain{std::move(allowed), std::move(refusals)});
  return domain;
}

ZapDomain::~ZapDomain() {
  handler().remove(name_);
}

}  // namespace kernsweep
