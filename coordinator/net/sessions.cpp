// The coordinator's shell: messages from and to workers.
#include <fmt/format.h>

#include <algorithm>

#include "coordinator/net/catalogue.hpp"
#include "coordinator/net/host_record.hpp"
#include "coordinator/net/shell.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/log.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::coordinator {
namespace {

// Limits the memory that the holder of a worker's key can make us use.
constexpr std::size_t kHostsMax = 16'384;
constexpr std::size_t kHostBytesMax = std::size_t{256} << 10;
constexpr std::uint32_t kRefusalsLogged = 60;
constexpr Duration kRefusalsPer = std::chrono::minutes(1);

// Copies the properties of the worker's host.
void learn(const wire::Hello& hello, Session& session) {
  session.catalogue = std::make_shared<Catalogue>(catalogue_of(hello.catalogue()));
  session.facts.cores = hello.host().cores();
  session.facts.gpus = static_cast<std::uint32_t>(hello.host().gpus().gpus_size());
  session.facts.gpus_lost = static_cast<std::uint32_t>(hello.host().gpus().lost_size());
  session.gpus = hello.host().gpus();
  for (const wire::LostCores& lost : hello.host().lost_cores()) {
    session.lost_cores.push_back(lost);
    session.facts.cores_lost += static_cast<std::uint32_t>(lost.cpus_size());
  }
}

}  // namespace

void Shell::send(const Session& session, wire::ToWorker& message) {
  // A worker that was not welcomed yet has no session number.
  message.set_worker(session.joined ? session.id.value : 0);
  socket_.send_to(session.peer, message.SerializeAsString());
}

void Shell::refuse(const std::string& peer, const std::string& reason) {
  wire::ToWorker message;
  message.mutable_refusal()->set_reason(reason);
  socket_.send_to(peer, message.SerializeAsString());
  if (!config_.token.empty()) return;  // our own worker: `run` itself reports why it ends
  // Limit of refusals that are logged: a peer that reconnects repeatedly, each time with another reason,
  // must not fill the log and the database.
  if (now_ - refusals_since_ >= kRefusalsPer) {
    refusals_since_ = now_;
    refusals_logged_ = 0;
  }
  if (++refusals_logged_ > kRefusalsLogged) return;
  log_line(LogLevel::warning, "refused a worker: " + reason);
  EventRow event;
  event.record.what = EventKind::refused;
  event.reason = reason;
  note(std::move(event));
}

Session* Shell::session_of(WorkerId worker) {
  const auto found = sessions_.find(worker.value);
  return found == sessions_.end() ? nullptr : found->second.get();
}

Session* Shell::session_of(const std::string& peer, std::uint32_t worker) {
  Session* const session = session_of(WorkerId{worker});
  return session && session->peer == peer ? session : nullptr;
}

// Messages with a revoked key are dropped by the socket. Their sessions end, so that other workers get the
// jobs.
void Shell::watch_keys() {
  if (!ring_ || !ring_->look(now_, socket_)) return;
  std::vector<WorkerId> dismissed;
  for (const auto& [worker, session] : sessions_) {
    if (!session->key.empty() && !ring_->accepts(session->key)) dismissed.push_back(session->id);
  }
  for (const WorkerId worker : dismissed) {
    const Session* const session = session_of(worker);
    // The end of another session may have ended a sweep, and with it a draining worker's session.
    if (!session) continue;
    const std::string reason = "the key '" + session->key + "' was revoked";
    refuse(session->peer, reason);
    leave(worker, reason);
  }
}

void Shell::read_workers() {
  for (int count = 0; count < kReadAtOnce; ++count) {
    auto received = socket_.receive();
    notify_of_dropped();
    if (!received) return;
    wire::ToCoordinator message;
    if (!message.ParseFromString(received->bytes)) {
      socket_.count(&RefusalCounts::unreadable);
      notify_dropped(received->peer, &RefusalCounts::unreadable);
      continue;
    }
    // A worker's key may only measure, a client's key may only send requests.
    const bool asks = received->key && received->key->role == KeyRole::client;
    if (received->key && message.has_request() != asks) {
      socket_.count(&RefusalCounts::wrong_role);
      notify_dropped(received->peer, &RefusalCounts::wrong_role);
      continue;
    }
    on_message(received->peer, received->key ? received->key->name : "", message);
  }
}

void Shell::on_message(const std::string& peer, const std::string& key, wire::ToCoordinator& message) {
  using Said = wire::ToCoordinator;
  if (message.what_case() == Said::kHello) return on_hello(peer, key, message);
  if (message.what_case() == Said::kRequest) return on_request(peer, message.request());
  Session* const session = session_of(peer, message.worker());
  if (!session || !session->joined) {  // a worker that was not welcomed yet has no session number
    // A message that was sent before our goodbye arrived is not an error.
    if (!leaving_.contains(peer)) socket_.count(&RefusalCounts::wrong_session);
    if (!session) ask_to_rejoin(peer, message.worker());
    return;
  }
  session->last_message = now_;
  switch (message.what_case()) {
    case Said::kOutcomes:
      return on_outcomes(*session, *message.mutable_outcomes());
    case Said::kHeartbeat:
      return on_heartbeat(*session, message.heartbeat());
    case Said::kReturned:
      return on_returned(*session, message.returned());
    case Said::kChecked:
      for (const auto& answer : message.checked().answers())
        for (auto& [id, held] : held_) held.check.answered(session->id, answer);
      return;
    case Said::kDraining:
      return drain(*session, one_line(message.draining().reason(), kWordsMax));
    case Said::kGoodbye:
      session->goodbye_received = true;
      return leave(session->id, one_line(message.goodbye().reason(), kWordsMax));
    case Said::kHello:
    case Said::kRequest:      // handled above: needs no session
    case Said::WHAT_NOT_SET:  // a message of a newer worker
      return;
  }
}

void Shell::on_returned(const Session& session, const wire::Attempts& attempts) {
  JobsReturned returned{session.id, {}};
  for (const auto& attempt : attempts.attempts()) {
    returned.attempts.push_back(decode(attempt));
    const auto sent = sent_.find(returned.attempts.back());
    if (sent == sent_.end() || sent->second.worker != session.id) continue;
    note(sent->second.comes_back_as, sent->first, session);
    sent_.erase(sent);
  }
  apply(returned);
}

// Why a hello cannot get a session; empty if it can.
std::string Shell::reason_to_refuse(const wire::Hello& hello, const KnownHost& host) const {
  if (hello.protocol_major() != kProtocolMajor || hello.protocol_minor() < kProtocolMinorOldest)
    return fmt::format(
        "it speaks protocol {}.{} (version {}), this coordinator speaks {}.{} (version {}); install the "
        "same version on both",
        hello.protocol_major(), hello.protocol_minor(), one_line(hello.version(), kWordsMax),
        kProtocolMajor, kProtocolMinor, version_text());
  if (hello.host().ByteSizeLong() > kHostBytesMax)
    return "the description of its host is larger than 256 KiB; remove tags";
  if (hosts_.size() >= kHostsMax && std::ranges::find(hosts_, host) == hosts_.end())
    return "this coordinator has met " + std::to_string(kHostsMax) +
           " different hosts, the most that it remembers; restart it";
  return "";
}

// Hellos that a worker repeated before our welcome reached it may arrive together: one session answers all.
bool Shell::is_answered(const std::string& peer, const wire::ToCoordinator& message) const {
  for (const auto& [worker, waiting] : sessions_) {
    if (waiting->instance != message.hello().instance() || waiting->peer != peer) continue;
    const bool sent_before_welcome =
        message.worker() == 0 && now_ - waiting->last_message < core_.options().silence_limit;
    if (!waiting->joined || sent_before_welcome) return true;
  }
  return false;
}

void Shell::on_hello(const std::string& peer, const std::string& key, const wire::ToCoordinator& message) {
  const wire::Hello& hello = message.hello();
  if (!config_.token.empty() && hello.token() != config_.token) return;  // not the worker that we started
  KnownHost host = known_host(hello);
  if (const std::string why = reason_to_refuse(hello, host); !why.empty()) return refuse(peer, why);
  if (!store_) {
    if (const Status opened = open(&hello); !opened) {
      refused_ = opened.error();  // reported once by the caller; our own worker is not the cause
      wrong_from_the_start_ = true;
      return;
    }
  }
  asked_to_rejoin_.erase(peer);
  if (is_answered(peer, message)) return;
  if (hosts_posted_ >= kHostsMax) return;  // the disk does not respond: the worker will repeat its hello
  // One connection belongs to one process; another process on the same connection is not a worker.
  for (const auto& [worker, other] : sessions_) {
    if (other->peer != peer || other->instance == hello.instance()) continue;
    leave(other->id, "another worker process said hello on the same connection");
    break;  // at most one session has this peer
  }
  auto session = std::make_unique<Session>();
  session->id = WorkerId{next_worker_++};
  session->peer = peer;
  session->key = key;
  session->instance = hello.instance();
  session->version = one_line(hello.version(), kWordsMax);
  session->local = !config_.token.empty();
  session->last_message = now_;
  if (const auto before = last_session_.find(hello.instance()); before != last_session_.end()) {
    session->former = before->second;
    // The hello was repeated before we could answer, so the former session was never used.
    if (const Session* former = session_of(before->second); former && !former->joined)
      session->former = former->former;
  }
  constexpr std::size_t kRemembered = 10'000;
  if (last_session_.size() >= kRemembered)
    std::erase_if(last_session_, [&](const auto& entry) { return !session_of(entry.second); });
  last_session_[hello.instance()] = session->id;
  // Attempt numbers are valid only within one database.
  if (hello.database().empty() || hello.database() == database_identity_) {
    for (const auto& attempt : hello.holding()) session->holding.push_back(decode(attempt));
  }
  learn(hello, *session);
  session->facts.facts = host_number(std::move(host));
  std::erase_if(sessions_, [&](const auto& entry) { return entry.second->instance == hello.instance(); });
  const HostRecord record = record_of(hello.host());
  session->fingerprint = record.fingerprint.hex();
  session->host_key = session->fingerprint + " " + record.name;
  session->facts.hardware = hardware_number(session->fingerprint);
  Session& placed = *session;
  sessions_[session->id.value] = std::move(session);
  // A host whose row exists need not wait for the store, which may be busy for long.
  if (const auto known = host_ids_.find(placed.host_key); known != host_ids_.end()) {
    placed.host = known->second;
    join(placed);
  } else {
    store_->post_host(placed.id.value, record);
    ++hosts_posted_;
  }
}

// Equal hosts have one number, so that a job is checked only once against all of them.
std::uint32_t Shell::host_number(KnownHost host) {
  const auto known = std::ranges::find(hosts_, host);
  if (known != hosts_.end()) return static_cast<std::uint32_t>(known - hosts_.begin());
  hosts_.push_back(std::move(host));
  return static_cast<std::uint32_t>(hosts_.size() - 1);
}

std::uint32_t Shell::hardware_number(const std::string& fingerprint) {
  return hardware_.try_emplace(fingerprint, static_cast<std::uint32_t>(hardware_.size() + 1)).first->second;
}

void Shell::join(Session& session) {
  session.joined = true;
  session.last_message = now_;  // messages from now on may answer the welcome
  session.facts.host = session.host.value;
  if (host_ids_.size() < kHostsMax) host_ids_[session.host_key] = session.host;
  if (host_names_.size() >= kHostsMax) {
    std::set<std::uint32_t> here;
    for (const auto& [worker, other] : sessions_) here.insert(other->facts.host);
    std::erase_if(host_names_, [&](const auto& entry) {
      return !here.contains(entry.first) && !core_.is_quarantined(entry.first);
    });
  }
  host_names_[session.host.value] = hosts_[session.facts.facts].name;
  wire::ToWorker message;
  message.mutable_welcome()->set_worker(session.id.value);
  message.mutable_welcome()->set_version(version_text());
  message.mutable_welcome()->set_database(database_identity_);
  message.mutable_welcome()->set_heartbeat_ns(core_.options().heartbeat_every.count());
  message.mutable_welcome()->set_silence_ns(core_.options().silence_limit.count());
  send(session, message);
  if (const auto it = notices_.find(session.peer); it != notices_.end()) it->second.asked_to_rejoin.reset();
  watcher_.note("worker " + std::to_string(session.id.value) + " joined: " +
                hosts_[session.facts.facts].name + ", " + counted(session.facts.cores, "core", "cores") +
                (hosts_[session.facts.facts].lost_gpus.empty()
                     ? ""
                     : "; it has lost " + hosts_[session.facts.facts].lost_gpus) +
                (hosts_[session.facts.facts].lost_cores.empty()
                     ? ""
                     : "; it has given up " + hosts_[session.facts.facts].lost_cores));
  note(EventKind::joined, session, session.version);
  hold_against(session);
  const WorkerId id = session.id;
  const auto former = session.former;
  apply(WorkerJoined{id, session.facts, session.holding, former});
  // A worker whose host is in quarantine was drained at once.
  if (const Session* still_here = session_of(id)) settle_holding(*still_here);
  if (former) forget_lost(*former);
}

// Continues the attempts that the worker holds; others that were sent in its former session were lost.
void Shell::settle_holding(const Session& session) {
  for (const AttemptId& attempt : session.holding) {
    const JobState state = core_.explain(attempt.job);
    const bool kept = state.standing == Standing::with_worker && state.worker == session.id &&
                      state.attempt == attempt.number;
    if (!kept) continue;
    note(EventKind::adopted, attempt, session);
    sent_[attempt].worker = session.id;
  }
}

// Records attempts that were sent in the worker's former session and that the worker never received. They
// get an event, but no row of their own.
void Shell::forget_lost(WorkerId former) {
  std::erase_if(sent_, [&](const auto& entry) {
    const auto& [attempt, sent] = entry;
    if (sent.worker != former) return false;
    EventRow event;
    event.record.what = EventKind::lost;
    event.record.attempt = attempt;
    event.record.session = former.value;
    note(std::move(event));
    return true;
  });
}

void Shell::leave(WorkerId worker, const std::string& reason) {
  if (const Session* const session = session_of(worker); session && !session->joined) {
    last_session_.erase(session->instance);  // the session was never used: the one before it counts
    if (session->former) last_session_[session->instance] = *session->former;
  }
  apply(WorkerLeft{worker, reason});
  sessions_.erase(worker.value);
}

// The connection of a killed worker is closed, so its jobs need not wait for the silence limit.
void Shell::watch_connections() {
  for (const std::string& peer : socket_.lost_peers()) {
    const auto lost =
        std::ranges::find_if(sessions_, [&](const auto& entry) { return entry.second->peer == peer; });
    if (lost != sessions_.end()) leave(lost->second->id, "its connection was closed");
    leaving_.erase(peer);  // leave() may have added it; a new connection has another routing id
    asked_to_rejoin_.erase(peer);
    notices_.erase(peer);
  }
}

void Shell::drain(Session& session, const std::string& reason) {
  const auto state = core_.worker(session.id);
  if (state && !state->draining) {
    watcher_.note("worker " + std::to_string(session.id.value) + " (" + hosts_[session.facts.facts].name +
                  ") takes no more jobs: " + reason);
    note(EventKind::draining, session, reason);
  }
  apply(WorkerDraining{session.id, reason});
}

}  // namespace kernsweep::coordinator
