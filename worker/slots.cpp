// The worker's shell: its slots, and the core's orders about them.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "shared/base/installation.hpp"
#include "shared/base/log.hpp"
#include "shared/base/random_token.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/convert.hpp"
#include "tensors/available_memory.hpp"
#include "worker/catalogue.hpp"
#include "worker/host/programs.hpp"
#include "worker/host/stopped_processes.hpp"
#include "worker/host_layout.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/last_words.hpp"
#include "worker/shell.hpp"

namespace kernsweep::worker {

void Shell::send_to(SlotProcess& slot, const wire::ToSlot& message) {
  if (slot.peer.empty()) return slot.held_back.push_back(message.SerializeAsString());
  slot_socket_.send_to(slot.peer, message.SerializeAsString());
}

void Shell::read_slots() {
  for (int count = 0; count < 256; ++count) {
    const auto received = slot_socket_.receive();
    if (!received) return;
    wire::ToWorkerFromSlot message;
    if (message.ParseFromString(received->bytes)) on_slot_message(received->peer, message);
  }
}

void Shell::on_slot_message(const std::string& peer, wire::ToWorkerFromSlot& message) {
  using Message = wire::ToWorkerFromSlot;
  SlotProcess* const slot = message.what_case() == Message::kHello
                                ? slots_.admit(peer, message.hello().slot(), message.hello().token())
                                : slots_.find_peer(peer);
  if (!slot) return;  // not one of our slots
  switch (message.what_case()) {
    case Message::kHello:
      if (message.hello().error().empty()) return greet(*slot);
      slot->start_error = message.hello().error();
      slot->killed_by_us = true;
      slot->child.kill_group();
      return;
    case Message::kOutcomes:
      return on_outcomes(*slot, *message.mutable_outcomes());
    case Message::kLease:
      return apply(LeaseRequested{slot->id, message.lease().whole_host()});
    case Message::kLeaseReturn:
      return apply(LeaseReturned{slot->id});
    case Message::kTensors:
      return maker_.want(slot->id, message.tensors(), slot->numa_node);
    case Message::kOffer:
      return maker_.adopt(slot->id, message.offer());
    case Message::kHandOver:
      return renew(*slot);
    case Message::WHAT_NOT_SET:
      return;
  }
}

// Another process of the slot is to say hello.
void Shell::renew(SlotProcess& slot) {
  wire::ToSlot message;
  message.mutable_leave();
  send_to(slot, message);
  slots_.renew(slot);
}

// The core does not see that a slot was renewed: what it has sent meanwhile was kept for the new process.
void Shell::greet(SlotProcess& slot) {
  if (!std::exchange(slot.was_renewed, false)) return apply(SlotReady{slot.id});
  for (const std::string& message : std::exchange(slot.held_back, {}))
    slot_socket_.send_to(slot.peer, message);
}

void Shell::on_outcomes(SlotProcess& slot, wire::Outcomes& outcomes) {
  if (std::ranges::any_of(outcomes.outcomes(), &wire::Outcome::renews)) renew(slot);
  OutcomesMeasured event;
  arrived_.clear();
  for (wire::Outcome& outcome : *outcomes.mutable_outcomes()) {
    constexpr auto kLast = static_cast<std::uint32_t>(kLastOutcome);
    const bool known = outcome.outcome() >= 1 && outcome.outcome() <= kLast;
    Measured measured;
    measured.slot = slot.id;
    measured.attempt = decode(outcome.attempt());
    measured.outcome = known ? static_cast<Outcome>(outcome.outcome()) : Outcome::failed_run;
    measured.busy = Duration(outcome.busy_ns());
    measured.slot_is_done = outcome.slot_is_done();
    measured.device_lost = outcome.device_lost();
    measured.disturbed = outcome.throttled();
    measured.payload = static_cast<std::uint32_t>(arrived_.size());
    event.outcomes.push_back(measured);
    arrived_.push_back(std::move(outcome));
  }
  for (wire::Software& software : *outcomes.mutable_software()) learn(software);
  apply(std::move(event));
  arrived_.clear();
}

// Sent at once, and again in every new session, because outcomes that name it may still be in the spool.
void Shell::learn(wire::Software& software) {
  constexpr std::size_t kKeptMax = 1024;
  if (contents_.size() >= kKeptMax) contents_.clear();
  for (const auto& content : software.contents()) contents_[content.file()] = content.hash();
  software.clear_contents();
  if (spool_.learn(software)) *outgoing_.add_software() = software;
}

void Shell::watch_slots() {
  slots_.look(now_);
  for (const auto& slot : slots_.take_ended(now_)) {
    const auto [outcome, reason] = outcome_of_ending(*slot);
    ended_ = slot.get();
    maker_.forget(slot->id);
    apply(SlotExited{slot->id, outcome, reason});
  }
}

void Shell::read_tensors() {
  for (auto& made : maker_.take()) {
    SlotProcess* const slot = slots_.find(made.slot);
    if (!slot) continue;
    wire::ToSlot message;
    *message.mutable_tensors() = std::move(made.replies);
    send_to(*slot, message);
  }
}

void Shell::apply(Event event) {
  events_.add(std::move(event), [this](const Event& next) {
    std::vector<Action> actions;
    core_.apply(now_, next, actions);
    for (const Action& action : actions) {
      std::visit([this](const auto& order) { act(order); }, action);
    }
    ended_ = nullptr;
  });
}

void Shell::act(const StartSlot& order) {
  KS_ASSERT(order.key < keys_.size());
  const wire::SlotKey& key = keys_[order.key];
  const std::optional<std::string> pack = pack_with(equipment_.catalogue, key.family(), key.variant());
  wire::SlotSetup setup;
  Launch launch;
  for (std::size_t core = 0; core < topology_.cores.size(); ++core) {
    if (order.units.test(core)) launch.cpus.push_back(topology_.cores[core].cpu);
  }
  std::sort(launch.cpus.begin(), launch.cpus.end());
  const std::string token = random_token();
  setup.set_endpoint(slot_socket_.endpoint());
  setup.set_token(token);
  setup.set_slot(order.slot.value);
  setup.set_pack(pack.value_or(""));
  setup.set_family(key.family());
  setup.set_threads(key.threads());
  setup.set_copies(key.copies());
  setup.set_distrust(key.distrust());
  setup.set_function(key.function());
  if (key.distrust()) *setup.mutable_packs() = packs_by_variant(equipment_.catalogue, key.family());
  for (const std::uint32_t cpu : launch.cpus) setup.add_cpus(cpu);
  setup.set_llc_bytes(cache_to_empty(topology_, equipment_.gpus, order.units));
  for (const std::uint64_t share : cache_shares(topology_, launch.cpus)) setup.add_cache_shares(share);
  *setup.mutable_environment() = key.environment();
  for (const auto& [file, hash] : contents_) {
    wire::FileContent& content = *setup.add_contents();
    content.set_file(file);
    content.set_hash(hash);
  }
  launch.program = slot_program();
  launch.arguments = {"--serve"};
  setup.set_gpus(text_of_gpus(equipment_.gpus, order.units));
  launch.environment = slot_environment({key.environment().begin(), key.environment().end()}, key.threads(),
                                        visible_gpus(equipment_.gpus, order.units));
  launch.setup = setup.SerializeAsString();
  launch.data_bytes_max = equipment_.shared
                              ? equipment_.slot_bytes / topology_.cores.size() * count_cores(order.units)
                              : equipment_.slot_bytes;

  const Status started = pack ? slots_.start(order.slot, launch, token, order.key)
                              : failure("no pack of this host has the family '" + key.family() + "'");
  if (started) {
    SlotProcess& slot = *slots_.find(order.slot);
    slot.memory_given = {launch.data_bytes_max, equipment_.shared};
    slot.numa_node = numa_node_of(order.units);
    slot.has_gpus = !setup.gpus().empty();
    if (needs_interpreter(*pack) && !key.distrust())
      slot.interpreter = find_interpreter(launch.environment);
  }
  if (!started) apply(SlotExited{order.slot, Outcome::failed_setup, started.error().message});
}

std::optional<int> Shell::numa_node_of(const UnitSet& cores) const {
  std::optional<int> node;
  for (std::size_t core = 0; core < topology_.cores.size() && topology_.numa_nodes > 1; ++core) {
    if (!cores.test(core)) continue;
    const int here = static_cast<int>(topology_.cores[core].numa_node);
    if (node && *node != here) return std::nullopt;
    node = here;
  }
  return node;
}

void Shell::act(const RetireSlot& order) {
  SlotProcess* const slot = slots_.find(order.slot);
  if (!slot) return;
  wire::ToSlot message;
  message.mutable_leave();
  send_to(*slot, message);
}

void Shell::act(const KillSlot& order) {
  SlotProcess* const slot = slots_.find(order.slot);
  if (!slot) return;
  slot->killed_by_us = true;
  if (!order.took_too_long) return slot->child.kill_group();
  slot->stopped = stopped_below(slot->child.pid());
  slot->blocking = blocking_below(slot->child.pid());
  slot->memory = note_of(memory_of_group(slot->child.pid()), slot->memory_given, available_memory());
  slot->child.ask_what_it_does();
  slot->kill_at = now_ + kAnswerGrace;
}

void Shell::act(const SendRun& order) {
  SlotProcess* const slot = slots_.find(order.slot);
  if (!slot) return;
  wire::ToSlot message;
  wire::Run& run = *message.mutable_run();
  run.set_leased(order.leased);
  for (const AttemptId& attempt : order.attempts) {
    const auto held = held_.find(attempt);
    KS_ASSERT(held != held_.end());
    held->second.slot = order.slot;
    held->second.sent = now_;
    if (log_file_is_open()) {
      auto fields = fields_of(attempt);
      fields.push_back({"slot", std::uint64_t{order.slot.value}});
      log_event("started", fields);
    }
    wire::Job& job = held->second.job;
    if (slot->known_plans.insert(job.sweep()).second) *run.add_plans() = plans_[job.sweep()];
    const auto rules = std::make_pair(job.sweep(), job.rules());
    if (slot->known_rules.insert(rules).second) *run.add_rules() = rules_[rules].first;
    wire::Job& sent = *run.add_jobs();
    sent = job;
    add_built(held->second, sent);
  }
  send_to(*slot, message);
}

void Shell::act(const GrantLease& order) {
  SlotProcess* const slot = slots_.find(order.slot);
  if (!slot) return;
  wire::ToSlot message;
  message.mutable_grant();
  send_to(*slot, message);
}

void Shell::act(const LookAtSlot& order) {
  const SlotProcess* const slot = slots_.find(order.slot);
  if (!slot) return;
  const SlotPhase phase = slot->board.read();
  apply(SlotSeen{order.slot, phase.jobs_begun, phase.measuring, phase.since});
}

void Shell::act(const LookAtHost&) {
  OurProcesses ours{{getpid()}, slots_.groups()};
  if (!config_.token.empty()) ours.processes.insert(getppid());  // `run`, which stores results
  apply(host_look_.look(ours));
}

void Shell::act(const TellUser& order) {
  constexpr std::size_t kNoticesMax = 16;
  config_.token.empty() ? announce(order.text) : log_quietly(LogLevel::info, order.text);
  if (notices_.size() < kNoticesMax) notices_.push_back(order.text);
  last_sent_ = Instant{};  // a heartbeat is due
}

// A batch system that stops a worker often signals all its processes: also the program that a job has
// started (then the slot reports it), or the slot itself. The job is not at fault.
bool Shell::stopped_with_us(const ReportOutcome& order) const {
  if (order.payload) return arrived_.at(*order.payload).stopped();
  return stop_.count() > 0 && (order.outcome == Outcome::failed_setup || order.outcome == Outcome::signal);
}

void Shell::act(const ReportOutcome& order) {
  if (stopped_with_us(order)) return act(ReturnJobs{{order.attempt}});
  keep(order.attempt, outcome_as(order));
}

wire::Outcome Shell::outcome_as(const ReportOutcome& order) {
  return order.payload ? measured_outcome(order) : our_outcome(order);
}

// The outcome of the slot, with the fields that only the worker has.
wire::Outcome Shell::measured_outcome(const ReportOutcome& order) {
  KS_ASSERT(*order.payload < arrived_.size());
  wire::Outcome outcome = std::move(arrived_[*order.payload]);
  outcome.set_outcome(static_cast<std::uint32_t>(order.outcome));
  if (const auto held = held_.find(order.attempt); held != held_.end()) {
    // Appending one encoded message to another merges them: the body need not be decoded to add fields.
    wire::OutcomeBody more;
    more.set_queue_s(seconds(held->second.sent - held->second.arrived));
    if (order.neighbours > 0) more.set_neighbours(order.neighbours);
    more.set_order(held->second.job.order());
    if (!order.stands.empty()) more.add_doubts(as_utf8(order.stands));
    more.AppendToString(outcome.mutable_body());
  }
  if (!order.stands.empty()) outcome.set_throttled(false);  // another try would not help
  return outcome;
}

void Shell::act(const ReturnJobs& order) {
  for (const AttemptId& attempt : order.attempts) {
    encode(attempt, *returns_.add_attempts());
    held_.erase(attempt);
    kept_back_.erase(attempt);
  }
  send_returns();
}

// The outcome of a job for which its slot has sent none.
wire::Outcome Shell::our_outcome(const ReportOutcome& order) {
  wire::OutcomeBody body;
  // A slot that was killed but has not ended is still in the table.
  const SlotProcess* const slot = ended_ || !order.slot ? ended_ : slots_.find(*order.slot);
  std::string reason = order.reason;
  const bool took_too_long =
      order.outcome == Outcome::timeout_run || order.outcome == Outcome::timeout_setup;
  const std::string doing = slot && took_too_long ? what_it_did(slot->last_words) : "";
  if (!doing.empty()) reason += "; " + doing;
  if (slot && !slot->stopped.empty())
    reason += "; " + slot->stopped;
  else if (slot && doing.empty() && !slot->blocking.empty())
    reason += "; " + slot->blocking;
  if (slot && !slot->memory.empty()) reason += "; " + slot->memory;
  body.set_reason(as_utf8(reason));
  if (ended_) body.set_stderr_tail(as_utf8(ended_->last_words));  // a kernel may print anything
  if (const auto held = held_.find(order.attempt); held != held_.end()) {
    body.set_queue_s(seconds(held->second.sent - held->second.arrived));
    body.set_order(held->second.job.order());
    if (order.outcome == Outcome::failed_build) body.set_stderr_tail(said_of_builds(held->second));
  }
  wire::Outcome outcome;
  encode(order.attempt, *outcome.mutable_attempt());
  outcome.set_outcome(static_cast<std::uint32_t>(order.outcome));
  outcome.set_body(body.SerializeAsString());
  return outcome;
}

void Shell::keep(const AttemptId& attempt, wire::Outcome outcome) {
  held_.erase(attempt);
  if (log_file_is_open()) {
    auto fields = fields_of(attempt);
    fields.push_back({"outcome", std::string(name_of(static_cast<Outcome>(outcome.outcome())))});
    log_event("measured", fields);
  }
  *outgoing_.add_outcomes() = outcome;
  spool_.keep(attempt, std::move(outcome));
}

}  // namespace kernsweep::worker
