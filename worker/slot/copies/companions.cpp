#include "worker/slot/copies/companions.hpp"

#include <algorithm>

#include "shared/base/random_token.hpp"
#include "shared/text/counted.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep {

Result<std::vector<std::vector<std::uint32_t>>> cores_of_copies(const std::vector<std::uint32_t>& cpus,
                                                                std::uint32_t copies,
                                                                std::uint32_t threads) {
  const std::uint64_t needed = std::uint64_t{copies} * threads;
  if (cpus.size() < needed)
    return failure(counted(copies, "copy", "copies") + " of " + counted(threads, "thread", "threads") +
                   " each take " + counted(needed, "core", "cores") + ", and this process may run on " +
                   std::to_string(cpus.size()));
  std::vector<std::vector<std::uint32_t>> out;
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    const auto first = cpus.begin() + static_cast<std::ptrdiff_t>(std::size_t{copy} * threads);
    out.emplace_back(first, first + threads);
  }
  return out;
}

std::vector<int> Companions::processes() const {
  std::vector<int> out;
  for (const Process& each : processes_) out.push_back(each.pid);
  return out;
}

void Companions::fail(std::size_t process, Outcome outcome, const std::string& reason) {
  if (failed_) return;
  failed_ = CopyFailed{
      outcome, "copy " + std::to_string(process + 2) + " of " + std::to_string(copies_) + ": " + reason};
}

Companions::Process* Companions::admit(const std::string& peer, const wire::SlotHello& hello) {
  const auto found = std::ranges::find_if(
      processes_, [&](const Process& each) { return each.peer.empty() && each.token == hello.token(); });
  if (found == processes_.end()) return nullptr;
  found->peer = peer;
  if (!hello.error().empty()) {
    fail(static_cast<std::size_t>(found - processes_.begin()), Outcome::failed_setup, hello.error());
    is_lost_ = true;
  }
  return &*found;
}

// `obtain`: null after the job was prepared, when requests are no longer allowed.
void Companions::serve(const Received& received, const Obtain* obtain) {
  wire::ToWorkerFromSlot message;
  if (!message.ParseFromString(received.bytes)) return;
  if (message.has_hello()) {
    admit(received.peer, message.hello());
    return;
  }
  const auto from = std::ranges::find(processes_, received.peer, &Process::peer);
  if (from == processes_.end()) return;
  const auto number = static_cast<std::size_t>(from - processes_.begin());
  if (message.has_lease()) from->ready = true;
  if (message.has_tensors()) {
    wire::ToSlot answer;
    auto replies = obtain ? (*obtain)(message.tensors())
                          : Result<wire::TensorReplies>(failure("the job is being measured already"));
    if (replies) {
      *answer.mutable_tensors() = std::move(*replies);
    } else {
      answer.mutable_tensors()->set_error(replies.error().message);
    }
    socket_.send_to(received.peer, answer.SerializeAsString());
  }
  for (wire::Outcome& outcome : *message.mutable_outcomes()->mutable_outcomes()) {
    from->over = true;
    wire::OutcomeBody& body = outcomes_[number];
    if (!body.ParseFromString(outcome.body())) body.set_reason("its outcome cannot be read");
    if (outcome.slot_is_done()) is_told_ = true;
    const auto ending = static_cast<Outcome>(outcome.outcome());
    if (ending != Outcome::ok) fail(number, ending, body.reason());
  }
}

void Companions::serve_until(const std::function<bool()>& enough, const Obtain* obtain) {
  Poll poll;
  poll.add(socket_);
  while (!enough()) {
    if (const auto received = socket_.receive()) {
      serve(*received, obtain);
      continue;
    }
    look_for_ended();
    if (is_lost_) return;
    poll.wait(std::chrono::milliseconds(20));
  }
}

std::optional<CopyFailed> Companions::prepare(const wire::Plan& plan, const Rules& rules,
                                              const wire::JobBody& body, const wire::Attempt& attempt,
                                              const Obtain& obtain) {
  failed_.reset();
  outcomes_.assign(processes_.size(), {});
  board_.reset();
  serve_until([this] { return std::ranges::none_of(processes_, &std::string::empty, &Process::peer); },
              &obtain);
  if (failed_) return failed_;
  wire::ToSlot message;
  wire::Run& run = *message.mutable_run();
  *run.add_plans() = plan;
  encode(rules, SweepId{plan.sweep()}, 0, *run.add_rules());
  wire::Job& job = *run.add_jobs();
  job.set_sweep(plan.sweep());
  job.set_index(attempt.index());
  job.set_host(attempt.host());
  job.set_attempt(attempt.number());
  job.set_body(body.SerializeAsString());
  for (Process& each : processes_) {
    each.ready = each.over = false;
    socket_.send_to(each.peer, message.SerializeAsString());
  }
  serve_until(
      [this] {
        return std::ranges::all_of(processes_, [](const Process& each) { return each.ready || each.over; });
      },
      &obtain);
  if (is_lost_) return failed_;
  // Companions that are ready wait for a round: they get one, so that the failure of another one does not
  // leave them waiting.
  wire::ToSlot grant;
  grant.mutable_grant();
  for (const Process& each : processes_)
    if (!each.over) socket_.send_to(each.peer, grant.SerializeAsString());
  in_rounds_ = true;
  if (failed_) return end();
  return std::nullopt;
}

std::optional<CopyFailed> Companions::end() {
  if (!in_rounds_) return failed_;
  in_rounds_ = false;
  board_.begin({RoundTask::end, 0});
  serve_until([this] { return std::ranges::all_of(processes_, &Process::over); }, nullptr);
  return failed_;
}

}  // namespace kernsweep
