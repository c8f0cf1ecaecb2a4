// The worker's shell: messages from and to the coordinator.
#include <algorithm>
#include <utility>

#include "shared/base/digest.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/log.hpp"
#include "shared/text/counted.hpp"
#include "shared/wire/convert.hpp"
#include "worker/outcome_parts.hpp"
#include "worker/process/limits.hpp"
#include "worker/shell.hpp"

namespace kernsweep::worker {
namespace {

// The coordinator numbers its keys in each session from the start, so our numbers are based on the content
// of a key.
std::string content_of(const wire::SlotKey& key) {
  std::string text = key.family() + "\n" + std::to_string(key.threads()) + "\n" +
                     std::to_string(key.process()) + "\n" + key.libraries() + "\n" + key.variant() + "\n" +
                     std::to_string(key.gpus()) + (key.distrust() ? " distrusted" : "") + " " +
                     std::to_string(key.copies()) + "\n" + key.function();
  const std::map<std::string, std::string> sorted(key.environment().begin(), key.environment().end());
  for (const auto& [name, value] : sorted) text += "\n" + name + "=" + value;
  return text;
}

// Size limit of one message with outcomes: small enough to pass a slow line before its sender counts as
// silent.
constexpr std::size_t kPartBytesMax = std::size_t{128} << 10;
// How long the worker searches for a coordinator before it informs the user.
constexpr Duration kQuietSearch = std::chrono::seconds(3);
// A hello may have 20 kB and more, so the worker waits this many silence limits for its answer.
constexpr int kHelloPatience = 4;

// Limits a duration sent by the coordinator, so that heartbeats are neither constant nor never sent.
Duration sensible(std::int64_t ns) {
  return std::clamp<Duration>(Duration(ns), std::chrono::milliseconds(10), std::chrono::hours(1));
}

void describe_host(const Equipment& equipment, wire::HostFacts& out) {
  const HostIdentity& identity = equipment.identity;
  const Topology& topology = equipment.topology;
  out.set_fingerprint(identity.fingerprint.hex());
  out.set_text(identity.text);
  out.mutable_properties()->insert(identity.properties.begin(), identity.properties.end());
  out.set_name(identity.name);
  out.set_cpu(topology.cpu_model);
  out.set_cores(static_cast<std::uint32_t>(topology.cores.size() - equipment.lost_cores.size()));
  out.set_sockets(topology.sockets);
  out.set_numa_nodes(topology.numa_nodes);
  out.set_memory_bytes(topology.memory_bytes);
  out.set_llc_bytes(topology.llc_bytes);
  out.set_kernel(identity.kernel);
  out.set_distribution(identity.distribution);
  out.set_software("kernsweep " + version_text());
  for (const auto& [name, value] : identity.facts) encode(value, (*out.mutable_facts())[name]);
  encode(Value(std::int64_t{out.cores()}), (*out.mutable_facts())["cores"]);
  tell(topology, equipment.lost_cores, out);
  *out.mutable_gpus() = gpus_left(equipment.gpus, equipment.lost_gpus);
  for (const auto& [name, value] : gpu_facts(out.gpus())) encode(value, (*out.mutable_gpu_facts())[name]);
}

}  // namespace

void Shell::send(const wire::ToCoordinator& message) {
  coordinator_.socket().send(message.SerializeAsString());
}

void Shell::say_hello() {
  wire::ToCoordinator message;
  message.set_worker(session_);
  wire::Hello& hello = *message.mutable_hello();
  hello.set_protocol_major(kProtocolMajor);
  hello.set_protocol_minor(kProtocolMinor);
  hello.set_version(version_text());
  hello.set_instance(spool_.instance());
  hello.set_token(config_.token);
  describe_host(equipment_, *hello.mutable_host());
  for (const std::string& kind : config_.allow) hello.mutable_host()->add_allow(kind);
  *hello.mutable_catalogue() = equipment_.catalogue;
  for (const auto& [attempt, held] : held_) encode(attempt, *hello.add_holding());
  for (const auto& [attempt, outcome] : spool_.outcomes()) encode(attempt, *hello.add_holding());
  hello.set_database(spool_.database());
  if (session_ != 0)
    // A repeated hello is excluded: the welcome may answer an earlier one with the former resources.
    offer_changed_ = false;
  session_ = 0;
  last_sent_ = hello_sent_ = now_;
  coordinator_.hello_sent();
  send(message);
}

void Shell::heartbeat_if_due() {
  if (config_.wait_for_coordinator > Duration::zero() && session_ == 0 &&
      now_ - last_received_ > config_.wait_for_coordinator) {
    const bool keyed = !config_.join_file.empty();
    complain(message_dropped_ ? "kernsweep worker: the coordinator at " + coordinator_.addresses() +
                                    " accepts no message of this worker; see above"
                              : "kernsweep worker: no coordinator answers at " + coordinator_.addresses() +
                                    "; is it running, is the address right, " +
                                    (keyed ? "and is the key still accepted (`kernsweep keys list` there)?"
                                           : "and does it listen with --insecure?"));
    exit_status_ = 1;
  }
  if (session_ == 0 && !joined_ && now_ - started_ > kQuietSearch) announce_search();
  if (coordinator_.needs_hello()) return say_hello();
  if (now_ - last_sent_ < heartbeat_every_) return;
  const bool alone = session_ == 0 || now_ - last_received_ > silence_limit_;
  if (alone || coordinator_.broken()) {
    if (session_ != 0 && !disconnected_) {
      log_line(LogLevel::warning, "lost the coordinator; results wait for it in the spool");
      loss_announced_ = true;
    }
    disconnected_ = true;
    last_sent_ = now_;
    coordinator_.try_next_address(now_);
    // A hello that is still on its way, because the coordinator is busy or the line is slow, is not sent
    // again: a second one would begin a second session, and jobs of the first would be measured twice.
    const int patience = session_ == 0 ? kHelloPatience : 1;
    if (coordinator_.needs_hello() ||
        (alone && !coordinator_.has_queued_hello() && now_ - hello_sent_ > patience * silence_limit_))
      say_hello();
    return;
  }
  wire::ToCoordinator message;
  message.set_worker(session_);
  wire::Heartbeat& heartbeat = *message.mutable_heartbeat();
  constexpr int kActiveShown = 64;
  for (const auto& [attempt, held] : held_) {
    if (held.slot && heartbeat.active_size() < kActiveShown) encode(attempt, *heartbeat.add_active());
  }
  heartbeat.set_waits(core_.activity().waits);
  if (const std::size_t left = rebuilds_.left(); left > 0 && heartbeat.waits().empty())
    heartbeat.set_waits(counted(left, "build is", "builds are") + " to be compared with earlier results");
  for (std::string& notice : std::exchange(notices_, {})) heartbeat.add_notices(std::move(notice));
  last_sent_ = now_;
  send(message);
}

void Shell::read_coordinator() {
  // Limited, so that slots are served in between.
  for (int count = 0; count < 64; ++count) {
    const auto received = coordinator_.socket().receive();
    if (!received) return;
    wire::ToWorker message;
    if (!message.ParseFromString(received->bytes)) {
      log_line(LogLevel::warning, "dropped a message from the coordinator that cannot be read");
      continue;
    }
    on_message(message);
  }
}

void Shell::on_message(const wire::ToWorker& message) {
  using Message = wire::ToWorker;
  const auto kind = message.what_case();
  const bool without_session = kind == Message::kDropNotice || kind == Message::kWelcome ||
                               kind == Message::kRefusal || kind == Message::kRejoin;
  if (!without_session && message.worker() != session_) return;  // the session is over
  if (kind != Message::kDropNotice && kind != Message::kRejoin) last_received_ = now_;
  switch (kind) {
    case Message::kDropNotice:
      log_line(LogLevel::warning,
               "the coordinator dropped a message of this worker: " + message.drop_notice().text());
      if (session_ == 0) message_dropped_ = true;
      return;
    case Message::kRejoin:
      // If it names an earlier session, a hello has already been sent; another one would begin another
      // session.
      if (session_ != 0 && message.worker() == session_) say_hello();
      return;
    case Message::kWelcome:
      return on_welcome(message.welcome());
    case Message::kRefusal:
      if (config_.token.empty()) {  // a worker of `run`: `run` itself reports it
        complain("kernsweep worker: the coordinator refused this worker: " + message.refusal().reason());
      }
      exit_status_ = 1;
      return;
    case Message::kJobs: {
      wire::JobBatch batch = message.jobs();
      return accept_jobs(batch);
    }
    case Message::kCancel:
    case Message::kRelease:
    case Message::kRetract:
      return on_attempts(message);
    case Message::kChecks:
      return checks_.ask({session_, message.checks()});
    case Message::kGoodbye:
      log_line(LogLevel::info, "the coordinator ended the session: " + message.goodbye().reason());
      exit_status_ = 0;
      learn_ended_sweeps(message.goodbye());
      if (message.goodbye().shut_out()) {
        complain("kernsweep worker: this host is quarantined: " + message.goodbye().reason());
        exit_status_ = 1;
      }
      return;
    case Message::kHeartbeat:    // only its arrival matters
    case Message::kAnswer:       // only for clients
    case Message::WHAT_NOT_SET:  // sent by a newer coordinator
      return;
  }
}

// Sweep numbers are valid only within one database.
void Shell::learn_ended_sweeps(const wire::Goodbye& goodbye) {
  if (spool_.database().empty() || goodbye.database() != spool_.database()) return;
  for (const std::uint32_t sweep : goodbye.over()) ended_sweeps_.insert(SweepId{sweep});
}

void Shell::on_attempts(const wire::ToWorker& message) {
  const wire::Attempts& named = message.has_cancel()    ? message.cancel()
                                : message.has_release() ? message.release()
                                                        : message.retract();
  std::vector<AttemptId> attempts;
  attempts.reserve(static_cast<std::size_t>(named.attempts_size()));
  for (const auto& attempt : named.attempts()) attempts.push_back(decode(attempt));
  if (message.has_release()) return spool_.release(attempts);
  if (message.has_retract()) return apply(JobsRetracted{std::move(attempts)});
  apply(JobsCancelled{std::move(attempts)});
}

// Not printed by a worker that `kernsweep run` has started.
void Shell::announce_search() {
  if (search_announced_ || message_dropped_ || !config_.token.empty()) return;
  search_announced_ = true;
  announce("no coordinator answers at " + coordinator_.addresses() +
           " yet; this worker keeps looking for it");
}

void Shell::announce_welcome() {
  const std::string as = " as worker " + std::to_string(session_);
  if (config_.token.empty() && !joined_) {
    announce("joined the coordinator at " + coordinator_.address() + as);
  } else if (config_.token.empty() && loss_announced_) {
    announce("back at the coordinator at " + coordinator_.address() + as);
  } else {
    log_line(LogLevel::info, "joined" + as);
  }
  joined_ = true;
  loss_announced_ = false;
}

void Shell::on_welcome(const wire::Welcome& welcome) {
  const std::string database = digest_from_bytes(welcome.database()) ? welcome.database() : "";
  if (spool_begun_ && database != spool_.database()) {
    needs_new_shell_ = true;
    return;
  }
  session_ = welcome.worker();
  message_dropped_ = false;
  disconnected_ = false;
  if (welcome.heartbeat_ns() > 0) heartbeat_every_ = sensible(welcome.heartbeat_ns());
  if (welcome.silence_ns() > 0) silence_limit_ = sensible(welcome.silence_ns());
  local_keys_.clear();
  build_numbers_.clear();  // failed builds are retried
  announce_welcome();
  if (!spool_begun_) spool_.begin(database);
  spool_begun_ = true;
  if (draining_until_) send_draining();
  send_returns();
  outgoing_.Clear();
  for (const auto& [identity, software] : spool_.software()) *outgoing_.add_software() = software;
  for (const auto& [attempt, outcome] : spool_.outcomes()) *outgoing_.add_outcomes() = outcome;
  if (offer_changed_) say_hello();
}

void Shell::learn(const wire::JobBatch& batch) {
  for (const auto& plan : batch.plans()) plans_[plan.sweep()] = plan;
  for (const auto& rules : batch.rules()) {
    auto decoded = decode(rules);
    if (!decoded) {
      log_line(LogLevel::warning, decoded.error().message);
      continue;
    }
    const std::pair key(rules.sweep(), rules.number());
    // Jobs that were accepted under the previous rules would run by these.
    if (rules_.contains(key) && forbidden(config_.allow, decoded->measure.verify)) {
      log_line(LogLevel::warning,
               "the coordinator sent changed rules, with a reference that --allow forbids");
      continue;
    }
    rules_.insert_or_assign(key, std::make_pair(rules, std::move(*decoded)));
  }
  for (const auto& key : batch.keys()) {
    const auto [at, added] =
        key_numbers_.try_emplace(content_of(key), static_cast<std::uint32_t>(keys_.size()));
    if (added) {
      keys_.push_back(key);
      forbidden_.push_back(forbidden(config_.allow, key));
    }
    local_keys_[key.number()] = at->second;
  }
}

// False: the job already has an outcome.
bool Shell::takes(const wire::Job& job, const AttemptId& attempt) {
  if (const wire::Outcome* const spooled = spool_.find(attempt)) {
    *outgoing_.add_outcomes() = *spooled;
    return false;
  }
  if (held_.count(attempt) > 0) return false;
  if (draining_until_ || spool_.full()) {
    encode(attempt, *returns_.add_attempts());
    return false;
  }
  const auto key = local_keys_.find(job.key());
  if (key == local_keys_.end()) return true;
  std::optional<std::string> why = forbidden_[key->second];
  const auto rules = rules_.find({job.sweep(), job.rules()});
  if (!why && rules != rules_.end()) why = forbidden(config_.allow, rules->second.second.measure.verify);
  if (why) keep(attempt, our_outcome({attempt, Outcome::unsupported, std::nullopt, *why, std::nullopt}));
  return !why;
}

void Shell::accept_jobs(wire::JobBatch& batch) {
  learn(batch);
  JobsArrived arrived;
  for (wire::Job& job : *batch.mutable_jobs()) {
    Order order;
    order.attempt = {{SweepId{job.sweep()}, job.index(), job.host()}, job.attempt()};
    if (!takes(job, order.attempt)) continue;
    if (!order_of(job, order)) {
      constexpr auto kWhy = "the worker was sent a job without its plan, rules or key; please report this";
      keep(order.attempt, our_outcome({order.attempt, Outcome::failed_setup, {}, kWhy, {}}));
      continue;
    }
    if (log_file_is_open()) log_event("received", fields_of(order.attempt));
    if (const auto why = forbidden_build(config_.allow); why && !order.builds.empty()) {
      keep(order.attempt, our_outcome({order.attempt, Outcome::unsupported, {}, *why, {}}));
      continue;
    }
    held_.emplace(order.attempt, HeldJob{std::move(job), now_, std::nullopt, now_, order.builds});
    arrived.orders.push_back(order);
  }
  send_returns();
  if (!arrived.orders.empty()) apply(std::move(arrived));
}

// Jobs that were returned between our hello and the welcome are returned in the new session, because the
// hello listed them as held.
void Shell::send_returns() {
  if (session_ == 0 || returns_.attempts_size() == 0) return;
  wire::ToCoordinator message;
  message.set_worker(session_);
  *message.mutable_returned() = std::move(returns_);
  returns_.Clear();
  send(message);
}

// Answers to a session that is over are dropped: the coordinator requests them again in the next one.
void Shell::read_checks() {
  for (AnsweredChecks& answered : checks_.take()) {
    if (answered.session != session_ || session_ == 0) continue;
    wire::ToCoordinator message;
    message.set_worker(session_);
    *message.mutable_checked() = std::move(answered.answers);
    send(message);
  }
}

// Outcomes of several slots are gathered for a short time while there is more to do, because each message
// wakes several threads on both sides and causes a commit of its own.
Instant Shell::outcomes_due() const {
  constexpr int kTogether = 256;
  constexpr Duration kGather = std::chrono::milliseconds(100);
  const bool waits = !exit_status_ && !held_.empty() && outgoing_.outcomes_size() < kTogether;
  return waits ? outcomes_sent_ + kGather : now_;
}

void Shell::send_outcomes() {
  if (outgoing_.outcomes_size() == 0 || outcomes_due() > now_) return;
  outcomes_sent_ = now_;
  if (session_ != 0) {  // otherwise the welcome requests the whole spool
    // Does not replace a heartbeat, which also reports what runs now.
    for (wire::Outcomes& part : in_parts(std::move(outgoing_), kPartBytesMax)) {
      wire::ToCoordinator message;
      message.set_worker(session_);
      *message.mutable_outcomes() = std::move(part);
      send(message);
    }
  }
  outgoing_.Clear();
}

}  // namespace kernsweep::worker
