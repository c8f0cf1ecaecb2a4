// A worker, with a coordinator and slots that send anything in any order: welcomes, jobs with and without
// their definitions, cancels, releases, rejoins, garbage; slots that come up, lie, fall silent and die.
//
// The worker's shell is the real one; its sockets lie within the process, its slots are simulated, and its
// clock, stop signal and log are held by hand. Promises tried: no crash, no sanitizer's complaint;
// outcomes, returns and `holding` name only what was sent; it ends when requested, and leaves no process
// behind.
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "shared/base/result.hpp"
#include "shared/wire/convert.hpp"
#include "tests/fuzz/stand_ins/stand_ins.hpp"
#include "tests/fuzz/worker/orders.hpp"
#include "tests/fuzz/worker/simulated_slot.hpp"
#include "worker/shell.hpp"

using namespace kernsweep;
using namespace kernsweep::fuzz;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kTurnsMax = 80;
constexpr std::size_t kSimulatedSlotsMax = 12;
constexpr Duration kPatience = 300s;  // of a machine that does other things too

worker::Equipment three_cores() {
  worker::Equipment equipment;
  for (const std::uint32_t cpu : {0, 1, 2}) equipment.topology.cores.push_back({cpu, 0, cpu / 2, 0});
  equipment.topology.memory_bytes = 1 << 20;
  equipment.identity.name = "node1";
  wire::Family& family = *equipment.catalogue.add_families();
  family.set_name("noop");
  family.set_pack("noop.so");
  equipment.tensor_bytes = equipment.slot_bytes = 1 << 20;
  return equipment;
}

class Conversation {
 public:
  explicit Conversation(Script& script);

  void go_on();
  void end();

 private:
  void turn();
  void tell(wire::ToWorker message);
  void heard();
  void take(const wire::ToCoordinator& message);
  bool was_sent(const wire::Attempt& attempt) const { return ever_sent_.count(decode(attempt)) == 1; }

  Script& script_;
  WorkerConfig config_;
  std::optional<Socket> router_;
  std::string peer_;
  std::uint32_t session_ = 0;
  std::vector<AttemptId> sent_;
  std::set<AttemptId> ever_sent_;
  std::vector<std::unique_ptr<SimulatedSlot>> slots_;
  std::atomic<bool> ended_{false};
  std::thread worker_;
};

Conversation::Conversation(Script& script) : script_(script) {
  static std::uint64_t conversations = 0;
  static worker::Equipment equipment = three_cores();
  const std::string number = std::to_string(++conversations);
  forget_stops();
  forget_processes();
  config_.endpoint = "inproc://coordinator-" + number;
  config_.drain_time = script.one_in(2) ? 1s : 0s;
  if (script.one_in(4)) config_.allow = {"packs"};
  auto router = Socket::router(config_.endpoint);
  KS_ASSERT(router.has_value());
  router_ = std::move(*router);
  worker_ = std::thread([this, number] {
    std::optional<Spool> spool(SpoolPlace{});
    for (int shells = 0; spool; ++shells) {
      auto link = worker::CoordinatorLink::to(config_.endpoint);
      auto slots = Socket::router("inproc://slots-" + number + "-" + std::to_string(shells));
      auto made = WakeUp::make();
      auto checked = WakeUp::make();
      KS_ASSERT(link && slots && made && checked);
      worker::Shell shell(config_, equipment, std::move(*link), std::move(*slots), std::move(*spool),
                          std::move(*made), std::move(*checked));
      spool.reset();
      if (!shell.serve()) spool.emplace(shell.follow());
    }
    ended_.store(true);
  });
}

void Conversation::tell(wire::ToWorker message) {
  const std::uint32_t how = script_.below(16);
  if (how > 0) message.set_worker(message.has_welcome() ? message.welcome().worker() : session_);
  router_->send_to(peer_, message.SerializeAsString());
}

// An unreadable message adds a line to the worker's log: then it has read all that was sent before.
void Conversation::heard() {
  const std::uint64_t before = unread_lines();
  std::string asked;
  const Instant end = monotonic_now() + kPatience;
  while (unread_lines() == before && !ended_) {
    KS_ASSERT(monotonic_now() < end);
    // It may have come back by another connection.
    if (asked != peer_ && router_->send_to(peer_, "\xff")) asked = peer_;
    Poll poll;
    poll.add(*router_);
    poll.wait(1ms);
    while (const auto received = router_->receive()) {
      peer_ = received->peer;
      wire::ToCoordinator message;
      KS_ASSERT(message.ParseFromString(received->bytes));
      take(message);
    }
  }
  for (LaunchedSlot& launched : take_launched()) {
    if (slots_.size() >= kSimulatedSlotsMax) slots_.erase(slots_.begin());
    slots_.push_back(std::make_unique<SimulatedSlot>(std::move(launched)));
  }
  for (const auto& slot : slots_) slot->hear();
}

void Conversation::take(const wire::ToCoordinator& message) {
  if (message.has_hello()) {
    KS_ASSERT(message.hello().instance().size() == 16);
    KS_ASSERT(message.hello().host().cores() == 3);
    for (const auto& attempt : message.hello().holding()) KS_ASSERT(was_sent(attempt));
  }
  for (const auto& attempt : message.returned().attempts()) KS_ASSERT(was_sent(attempt));
  for (const auto& outcome : message.outcomes().outcomes()) {
    KS_ASSERT(was_sent(outcome.attempt()));
    KS_ASSERT(outcome.outcome() >= 1 && outcome.outcome() <= 20);
  }
  for (const auto& attempt : message.heartbeat().active()) KS_ASSERT(was_sent(attempt));
}

void Conversation::turn() {
  wire::ToWorker message;
  switch (script_.below(16)) {
    case 0:
    case 1:
      fill_welcome(script_, *message.mutable_welcome());
      session_ = message.welcome().worker();
      tell(std::move(message));
      break;
    case 2:
    case 3:
    case 4:
      fill_jobs(script_, *message.mutable_jobs());
      for (const wire::Job& job : message.jobs().jobs()) {
        sent_.push_back({{SweepId{job.sweep()}, job.index(), job.host()}, job.attempt()});
        ever_sent_.insert(sent_.back());
      }
      tell(std::move(message));
      break;
    case 5:
      fill_attempts(script_, sent_,
                    *(script_.one_in(2) ? message.mutable_cancel() : message.mutable_retract()));
      tell(std::move(message));
      break;
    case 6:
      fill_attempts(script_, sent_, *message.mutable_release());
      tell(std::move(message));
      break;
    case 7:
      if (script_.one_in(2)) {
        message.mutable_heartbeat();
      } else {
        message.mutable_rejoin();
      }
      tell(std::move(message));
      break;
    case 8:
      router_->send_to(peer_, script_.text());
      break;
    case 9:
      leap(std::chrono::milliseconds(300) * script_.byte());
      break;
    case 10:
      if (script_.one_in(8)) ask_to_stop();
      fail_launches(script_.byte() * script_.byte());
      break;
    default:
      if (!slots_.empty()) slots_[script_.byte() % slots_.size()]->turn(script_, sent_);
      break;
  }
  if (!script_.one_in(4)) heard();
}

void Conversation::go_on() {
  heard();  // its hello
  for (std::size_t turns = 0; turns < kTurnsMax && !script_.over() && !ended_; ++turns) turn();
}

void Conversation::end() {
  wire::ToWorker message;
  message.mutable_refusal()->set_reason("the conversation is over");
  for (Instant end = monotonic_now() + kPatience; !ended_;) {
    // It may just have changed its connection.
    router_->send_to(peer_, message.SerializeAsString());
    heard();
    KS_ASSERT(ended_ || monotonic_now() < end);
  }
  worker_.join();
  KS_ASSERT(processes_left() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  silence_decoders();
  Script script(bytes, size);
  Conversation conversation(script);
  conversation.go_on();
  conversation.end();
  return 0;
}
