// The coordinator's shell: its conversations with agents.
#include <algorithm>
#include <cstdlib>

#include "coordinator/net/shell.hpp"
#include "shared/installation.hpp"
#include "shared/log.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::coordination {
namespace {

HostRecord record_of(const wire::HostFacts& host) {
  HostRecord record;
  if (const auto fingerprint = digest_from_hex(host.fingerprint())) record.fingerprint = *fingerprint;
  record.name = host.name();
  record.cpu = host.cpu();
  record.os = host.distribution();
  record.os_kernel = host.kernel();
  record.sockets = host.sockets();
  record.numa_nodes = host.numa_nodes();
  record.cores = host.cores();
  record.memory_bytes = host.memory_bytes();
  record.text = host.text();
  const std::string text = "\n" + host.text();
  const auto property = [&](const std::string& key) {
    const std::string line = "\n" + key + " = ";
    const auto at = text.find(line);
    if (at == std::string::npos) return std::string();
    return text.substr(at + line.size(), text.find('\n', at + 1) - at - line.size());
  };
  record.architecture = property("system.machine");
  record.microcode = property("cpu.microcode");
  record.governor = property("policy.governor");
  record.cpu_vendor = property("cpu.vendor");
  record.cpu_family = property("cpu.family");
  record.cpu_model_number = property("cpu.model_number");
  record.cpu_stepping = property("cpu.stepping");
  record.isa = property("cpu.isa");
  record.caches = property("cache.kinds");
  record.numa_layout = property("memory.numa_layout");
  record.hypervisor = property("virtual.hypervisor");
  record.container = property("virtual.container");
  record.frequency_khz = property("policy.frequency_khz");
  record.turbo = property("policy.turbo");
  record.huge_pages = property("policy.transparent_hugepages");
  record.address_randomisation = property("policy.address_randomisation");
  record.numa_balancing = property("policy.numa_balancing");
  record.swap = property("policy.swap");
  record.mitigations = property("policy.mitigations");
  for (const auto& [key, name] :
       {std::pair("limit.cpus", "processors "), std::pair("limit.memory_bytes", "memory "),
        std::pair("limit.cpuset", "cpuset ")}) {
    const std::string limit = property(key);
    if (!limit.empty()) record.limits += (record.limits.empty() ? "" : ", ") + (name + limit);
  }
  record.threads = static_cast<std::uint32_t>(std::strtoul(property("cpu.threads").c_str(), nullptr, 10));
  return record;
}

KnownHost known_host(const wire::Hello& hello) {
  KnownHost known;
  known.name = hello.host().name();
  for (const auto& [name, value] : hello.host().facts()) known.facts[name] = decode(value);
  for (const auto& family : hello.catalogue().families()) known.families.insert(family.name());
  return known;
}

}  // namespace

void Shell::send(const Session& session, wire::ToAgent& message) {
  // An agent that was not welcomed yet does not know its number.
  message.set_worker(session.joined ? session.id.value : 0);
  socket_.send_to(session.peer, message.SerializeAsString());
}

void Shell::refuse(const std::string& peer, const std::string& reason) {
  wire::ToAgent message;
  message.mutable_refusal()->set_reason(reason);
  socket_.send_to(peer, message.SerializeAsString());
  if (!config_.token.empty()) return;  // our own agent: whoever asked for the run is told why it ends
  log_line(LogLevel::warning, "refused a worker: " + reason);
}

Session* Shell::session_of(WorkerId worker) {
  const auto found = sessions_.find(worker.value);
  return found == sessions_.end() ? nullptr : found->second.get();
}

Session* Shell::session_of(const std::string& peer, std::uint32_t worker) {
  Session* const session = session_of(WorkerId{worker});
  return session && session->peer == peer ? session : nullptr;
}

void Shell::read_agents() {
  for (int count = 0; count < 256; ++count) {
    auto received = socket_.receive();
    if (!received) return;
    wire::ToCoordinator message;
    if (!message.ParseFromString(received->bytes)) {
      log_line(LogLevel::warning, "dropped a message that cannot be read");
      continue;
    }
    on_message(received->peer, message);
  }
}

void Shell::on_message(const std::string& peer, wire::ToCoordinator& message) {
  if (message.has_hello()) {
    on_hello(peer, message);
    return;
  }
  Session* const session = session_of(peer, message.worker());
  if (!session) {
    wire::ToAgent answer;
    answer.set_worker(message.worker());
    answer.mutable_rejoin();
    socket_.send_to(peer, answer.SerializeAsString());
    return;
  }
  if (!session->joined) return;
  if (message.has_outcomes()) {
    on_outcomes(*session, *message.mutable_outcomes());
  } else if (message.has_heartbeat()) {
    session->active.clear();
    for (const auto& attempt : message.heartbeat().active()) session->active.push_back(decode(attempt));
    apply(WorkerHeard{session->id});
  } else if (message.has_returned()) {
    JobsReturned returned{session->id, {}};
    for (const auto& attempt : message.returned().attempts()) returned.attempts.push_back(decode(attempt));
    apply(returned);
  } else if (message.has_goodbye()) {
    leave(session->id, message.goodbye().reason());
  }
}

void Shell::on_hello(const std::string& peer, const wire::ToCoordinator& message) {
  const wire::Hello& hello = message.hello();
  if (!config_.token.empty() && hello.token() != config_.token) return;  // not the agent that we started
  if (hello.protocol_major() != kProtocolMajor) {
    refuse(peer, "it speaks protocol " + std::to_string(hello.protocol_major()) + " (version " +
                     hello.version() + "), this coordinator speaks " + std::to_string(kProtocolMajor) +
                     " (version " + version_text() + "); install the same version on both");
    return;
  }
  if (!begun_) {
    if (const Status began = begin(&hello); !began) {
      refused_ = began.error();  // told once, by the caller; our own agent has no part in it
      return;
    }
  }
  auto session = std::make_unique<Session>();
  session->id = WorkerId{next_worker_++};
  session->peer = peer;
  session->instance = hello.instance();
  session->local = !config_.token.empty();
  for (auto& [worker, other] : sessions_) {
    if (other->instance == hello.instance()) session->former = other->id;
  }
  if (session->former) {
    // A hello that was repeated before we could answer: the former session was never used.
    if (const Session* former = session_of(*session->former); former && !former->joined)
      session->former = former->former;
  }
  for (const auto& attempt : hello.holding()) session->holding.push_back(decode(attempt));
  hosts_.push_back(known_host(hello));
  session->facts.cores = hello.host().cores();
  session->facts.facts = static_cast<std::uint32_t>(hosts_.size() - 1);
  std::erase_if(sessions_, [&](const auto& entry) { return entry.second->instance == hello.instance(); });
  worker_of_peer_[peer] = session->id.value;
  store_->post_host(session->id.value, record_of(hello.host()));
  sessions_[session->id.value] = std::move(session);
}

void Shell::join(Session& session) {
  session.joined = true;
  session.facts.host = session.host.value;
  wire::ToAgent message;
  message.mutable_welcome()->set_worker(session.id.value);
  message.mutable_welcome()->set_version(version_text());
  const CoreOptions options;
  message.mutable_welcome()->set_heartbeat_ns(options.heartbeat_every.count());
  message.mutable_welcome()->set_silence_ns(options.silence_limit.count());
  send(session, message);
  watcher_.note("worker " + std::to_string(session.id.value) +
                " joined: " + hosts_[session.facts.facts].name + ", " +
                std::to_string(session.facts.cores) + (session.facts.cores == 1 ? " core" : " cores"));
  apply(WorkerJoined{session.id, session.facts, session.holding, session.former});
}

void Shell::leave(WorkerId worker, const std::string& reason) {
  apply(WorkerLeft{worker, reason});
  sessions_.erase(worker.value);
}

void Shell::on_outcomes(Session& session, wire::Outcomes& outcomes) {
  for (wire::Software& software : *outcomes.mutable_software()) store_->post_software(std::move(software));
  OutcomesArrived event{session.id, {}};
  bodies_.clear();
  for (wire::Outcome& outcome : *outcomes.mutable_outcomes()) {
    constexpr auto kLast = static_cast<std::uint32_t>(Outcome::skipped);
    if (outcome.outcome() < 1 || outcome.outcome() > kLast) continue;  // a newer worker's word, or garbage
    Arrival arrival;
    arrival.attempt = decode(outcome.attempt());
    if (arrival.attempt.job.sweep != sweep_ || arrival.attempt.job.index >= expansion_.raw_jobs()) continue;
    arrival.outcome = static_cast<Outcome>(outcome.outcome());
    arrival.throttled = outcome.throttled();
    arrival.busy = Duration(std::max<std::int64_t>(0, outcome.busy_ns()));
    arrival.payload = static_cast<std::uint32_t>(bodies_.size());
    event.arrivals.push_back(arrival);
    bodies_.push_back(std::move(*outcome.mutable_body()));
  }
  apply(event);
  bodies_.clear();
}

}  // namespace kernsweep::coordination
