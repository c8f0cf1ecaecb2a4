#include "tests/fuzz/worker/simulated_slot.hpp"

#include <utility>

#include "shared/base/outcome.hpp"
#include "shared/base/result.hpp"
#include "shared/wire/convert.hpp"
#include "tests/fuzz/worker/orders.hpp"

namespace kernsweep::fuzz {

SimulatedSlot::SimulatedSlot(LaunchedSlot launched) : launched_(std::move(launched)) {
  auto socket = Socket::dealer(launched_.setup.endpoint());
  KS_ASSERT(socket.has_value());
  socket_ = std::move(*socket);
}

void SimulatedSlot::say(const wire::ToWorkerFromSlot& message) {
  socket_->send(message.SerializeAsString());
}

void SimulatedSlot::say_hello(const std::string& token, const std::string& error) {
  wire::ToWorkerFromSlot message;
  message.mutable_hello()->set_slot(launched_.setup.slot());
  message.mutable_hello()->set_token(token);
  message.mutable_hello()->set_error(error);
  greeted_ = true;
  say(message);
}

void SimulatedSlot::say_outcomes(Script& script, const std::vector<AttemptId>& sent) {
  wire::ToWorkerFromSlot message;
  for (std::uint32_t n = 1 + script.below(4); n > 0; --n) {
    wire::Outcome& outcome = *message.mutable_outcomes()->add_outcomes();
    const bool right = !run_.empty() && !script.one_in(4);
    encode(right ? run_.front() : attempt_from(script, sent), *outcome.mutable_attempt());
    if (right) run_.erase(run_.begin());
    outcome.set_outcome(script.one_in(4) ? script.byte() : static_cast<std::uint32_t>(Outcome::ok));
    outcome.set_busy_ns(script.one_in(4) ? -1 - std::int64_t{script.word()} : 1000);
    if (script.one_in(4)) outcome.set_body(script.text());
  }
  if (script.one_in(4)) {
    wire::Software& software = *message.mutable_outcomes()->add_software();
    software.set_identity(script.text());
    software.add_contents()->set_file(script.text());
  }
  say(message);
}

void SimulatedSlot::say_tensors(Script& script) {
  wire::TensorSpec spec;
  spec.set_dtype(script.below(16));
  for (std::uint32_t n = script.below(4); n > 0; --n)
    spec.add_shape(script.one_in(4) ? -1 + std::int64_t{script.word()} * 65536 : script.byte());
  spec.set_distribution(script.below(12));
  spec.set_a(script.byte() - 128.0);
  spec.set_b(1);
  spec.set_density(script.below(3) - 0.5);
  wire::ToWorkerFromSlot message;
  wire::TensorRequest& request = *message.mutable_tensors()->add_tensors();
  request.set_name("A");
  request.set_spec(spec.SerializeAsString());
  request.set_copies(script.one_in(4) ? script.word() : 0);
  if (script.one_in(4)) message.mutable_tensors()->set_reference(script.text());
  say(message);
}

void SimulatedSlot::turn(Script& script, const std::vector<AttemptId>& sent) {
  wire::ToWorkerFromSlot message;
  switch (script.below(10)) {
    case 0:
    case 1:
      return say_hello(launched_.setup.token(), script.one_in(8) ? "the pack is broken" : "");
    case 2:
      return say_hello(script.text(), "");
    case 3:
      message.mutable_lease()->set_whole_host(script.one_in(2));
      return say(message);
    case 4:
      return say_outcomes(script, sent);
    case 5:
      return say_tensors(script);
    case 6:
      message.mutable_offer()->set_identity(script.text());
      message.mutable_offer()->mutable_place()->set_bytes(script.word());
      return say(message);
    case 7:
      return end_process(launched_.pid, script.one_in(2) ? script.byte() : 0);
    case 8:
      socket_->send(script.text());
      return;
    default:
      return answer_honestly();
  }
}

void SimulatedSlot::answer_honestly() {
  if (!greeted_) return say_hello(launched_.setup.token(), "");
  wire::ToWorkerFromSlot message;
  message.mutable_lease();
  say(message);
  if (run_.empty()) return;
  for (const AttemptId& attempt : std::exchange(run_, {})) {
    wire::Outcome& outcome = *message.mutable_outcomes()->add_outcomes();
    encode(attempt, *outcome.mutable_attempt());
    outcome.set_outcome(static_cast<std::uint32_t>(Outcome::ok));
    outcome.set_busy_ns(1000);
  }
  say(message);
}

void SimulatedSlot::hear() {
  while (const auto received = socket_->receive()) {
    wire::ToSlot message;
    KS_ASSERT(message.ParseFromString(received->bytes));
    if (message.has_leave()) end_process(launched_.pid, 0);
    for (const wire::Job& job : message.run().jobs())
      run_.push_back({{SweepId{job.sweep()}, job.index(), job.host()}, job.attempt()});
  }
}

}  // namespace kernsweep::fuzz
