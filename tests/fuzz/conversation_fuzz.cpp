// A coordinator, and peers that say anything in any order: hellos, outcomes that are late, doubled, forged,
// of other sweeps, garbage; heartbeats, drains, goodbyes, requests of clients; in right and in wrong
// sessions; through restarts of the coordinator and times of silence.
//
// The coordinator is the real one, with its store thread and its database; only its sockets lie within the
// process, and its clock, stop signal and log are held by hand (stand_ins/). Promises tried: no crash, no
// sanitizer's complaint; it answers every request; it never ends or fails by what a peer says; what peers
// and judge (conversation/) check. At the end an honest worker must be able to finish the sweep.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "shared/wire/convert.hpp"
#include "tests/fuzz/conversation/asker.hpp"
#include "tests/fuzz/conversation/judge.hpp"
#include "tests/fuzz/conversation/life.hpp"
#include "tests/fuzz/folder.hpp"
#include "tests/fuzz/stand_ins/stand_ins.hpp"

using namespace kernsweep;
using namespace kernsweep::fuzz;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kTurnsMax = 60;
// Rounds in which an honest worker finishes the sweep. The clock leaps in them, but the thread that reads
// earlier results takes real time, on a busy machine much of it: further rounds are slow.
constexpr int kRounds = 60, kSlowRounds = 1000;
constexpr auto kSlowRound = 10ms;

std::shared_ptr<const Expansion> own_sweep() {
  static const auto own = [] {
    auto parsed = Expansion::parse(kOwnSweep, "", {});
    KS_ASSERT(parsed.has_value());
    return std::make_shared<const Expansion>(std::move(*parsed));
  }();
  return own;
}

class Conversation {
 public:
  Conversation(Script& script, std::string database)
      : script_(script), database_(std::move(database)), looks_at_all_(script.one_in(4)) {
    begin();
  }

  void go_on();
  void end();

 private:
  void begin();
  void turn();
  void turn_of(Peer& peer);
  void say(Peer& peer, const std::function<void(wire::ToCoordinator&)>& fill);
  wire::Answer heard();  // all that was said so far, by the coordinator and by the peers
  void stored();         // and what of it was posted is in the database
  void pass(Duration time);
  bool finished();
  void complain();

  Script& script_;
  const std::string database_;
  const bool looks_at_all_;
  Seen seen_;
  std::unique_ptr<Life> life_;
  std::unique_ptr<Asker> asker_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

void Conversation::begin() {
  static std::uint64_t lives = 0;
  const std::string endpoint = "inproc://coordinator-" + std::to_string(++lives);
  peers_.clear();
  asker_.reset();
  life_.reset();
  seen_.epochs.clear();
  life_ = std::make_unique<Life>(endpoint, database_, own_sweep());
  asker_ = std::make_unique<Asker>(endpoint, *life_);
  for (const char* instance : {"first instance..", "second instance.", "third instance..", ""})
    peers_.push_back(std::make_unique<Peer>(endpoint, instance, seen_));
}

wire::Answer Conversation::heard() {
  wire::Request request;
  request.mutable_status();
  auto answer = asker_->await(asker_->ask(std::move(request)));
  for (const auto& peer : peers_) peer->hear();
  KS_ASSERT(answer.status().store_failure().empty());
  return answer;
}

void Conversation::stored() {
  wire::Request request;
  request.mutable_submit()->set_text("of this nothing can be begun");
  asker_->await(asker_->ask(std::move(request)));
  heard();
}

void Conversation::pass(Duration time) {
  leap(time);
  // Two turns: the coordinator sees the leap in the first.
  heard();
  heard();
}

void Conversation::say(Peer& peer, const std::function<void(wire::ToCoordinator&)>& fill) {
  wire::ToCoordinator message;
  fill(message);
  peer.say(std::move(message), script_);
}

void Conversation::turn_of(Peer& peer) {
  using Message = wire::ToCoordinator;
  const Known known = peer.known();
  switch (script_.below(12)) {
    case 0:
    case 1:
      return peer.say_hello(script_);
    case 2:
    case 3:
      return say(peer, [&](Message& m) { fill_outcomes(script_, known, *m.mutable_outcomes()); });
    case 4:
      return say(peer, [&](Message& m) { fill_attempts(script_, known, *m.mutable_returned()); });
    case 5:
      return say(peer, [&](Message& m) {
        for (std::uint32_t n = script_.below(3); n > 0; --n)
          encode(attempt_from(script_, known), *m.mutable_heartbeat()->add_active());
      });
    case 6:
      return say(peer, [&](Message& m) { m.mutable_draining()->set_reason(script_.text()); });
    case 7:
      return say(peer, [&](Message& m) { m.mutable_goodbye()->set_reason(script_.text()); });
    case 8:
      return peer.say_bytes(script_.text());
    case 9:
      return peer.say_again(script_);
    case 10:
      return peer.connect();
    default:
      return peer.answer_all();
  }
}

void Conversation::turn() {
  const std::uint32_t who = script_.below(16);
  if (who < 11) {
    turn_of(*peers_[who % peers_.size()]);
  } else if (who == 11) {
    wire::Request request;
    fill_request(script_, request);
    asker_->ask(std::move(request));
  } else if (who == 12) {
    wire::Request request;
    fill_submit(script_, *request.mutable_submit());
    asker_->ask(std::move(request));
  } else if (who == 13) {
    pass(std::chrono::milliseconds(100) * script_.below(12));
  } else if (who == 14) {
    stored();
  } else if (script_.one_in(4)) {
    begin();
  } else {
    return;  // several turns before it is waited for
  }
  heard();
}

void Conversation::go_on() {
  for (std::size_t turns = 0; turns < kTurnsMax && !script_.over(); ++turns) turn();
}

bool Conversation::finished() {
  bool over = false;
  const wire::Answer answer = heard();
  for (const auto& sweep : answer.status().sweeps()) {
    if (sweep.state() != "running" && sweep.state() != "waiting") {
      over = over || sweep.name() == "talk";
    } else if (sweep.name() != "talk") {  // may have millions of jobs, and go first
      wire::Request request;
      request.mutable_cancel()->set_sweep(std::to_string(sweep.number()));
      asker_->await(asker_->ask(std::move(request)));
    }
  }
  return over;
}

// Says where the jobs of the own sweep are, and fails.
void Conversation::complain() {
  for (int job = 0; job < 6; ++job) {
    wire::Request request;
    request.mutable_why()->set_job("talk/" + std::to_string(job));
    std::fprintf(stderr, "%s\n", asker_->await(asker_->ask(std::move(request))).why().text().c_str());
  }
  wire::Request request;
  request.mutable_workers();
  const wire::Answer answer = asker_->await(asker_->ask(std::move(request)));
  for (const auto& worker : answer.workers().workers()) {
    std::fprintf(stderr, "worker %u of %s is %s, holds %u: %s\n", worker.number(), worker.name().c_str(),
                 worker.state().c_str(), worker.held(), worker.reason().c_str());
  }
  KS_ASSERT(!"an honest worker can finish the sweep");
}

void Conversation::end() {
  const auto honest = std::make_unique<Peer>(life_->endpoint(), "honest worker...", seen_);
  if (!seen_.epochs.empty()) {
    for (int steps = 0; steps < 4; ++steps) pass(900ms);  // silent peers are lost
  }
  peers_.clear();
  honest->say_honest_hello();
  stored();
  for (int rounds = 0; !finished(); ++rounds) {
    if (rounds > kRounds) honest->await(kSlowRound);
    if (rounds > kRounds + kSlowRounds) complain();
    honest->hear();
    if (!honest->holds_something()) pass(400ms);
    if (honest->welcomed()) {
      honest->answer_all();
      honest->say_heartbeat();
    } else {
      honest->say_honest_hello();
    }
    stored();
  }
  asker_.reset();
  life_.reset();
  judge(database_, seen_, looks_at_all_);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Folder folder;
  silence_decoders();
  const std::string database = folder.file("talk.db");
  for (const char* ending : {"", "-wal", "-shm", "-lock"}) std::remove((database + ending).c_str());
  Script script(bytes, size);
  Conversation conversation(script, database);
  conversation.go_on();
  conversation.end();
  return 0;
}
