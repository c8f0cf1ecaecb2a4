// Any bytes as each of the messages that arrive from a socket: read or refused, and what is read decodes
// without harm. The first byte chooses the message, so that a corpus file is one message and not luck.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shared/base/ids.hpp"
#include "shared/base/result.hpp"
#include "shared/wire/convert.hpp"
#include "shared/wire/slot.pb.h"

using namespace kernsweep;

namespace {

void decode_value(const wire::Value& message) {
  const Value value = decode(message);
  wire::Value again;
  encode(value, again);
  // A float that is no number is unequal to itself; everything else comes back.
  KS_ASSERT(decode(again) == value || (value.real() && *value.real() != *value.real()));
}

void decode_attempt(const wire::Attempt& message) {
  const AttemptId attempt = decode(message);
  wire::Attempt again;
  encode(attempt, again);
  KS_ASSERT(decode(again) == attempt);
  static_cast<void>(std::hash<AttemptId>()(attempt));
}

void decode_rules(const wire::Rules& message) {
  const auto rules = decode(message);
  if (!rules) {
    KS_ASSERT(!rules.error().message.empty());
    return;
  }
  const auto exclusion = static_cast<std::uint32_t>(rules->measure.alone_on);
  KS_ASSERT(exclusion >= 1 && exclusion <= 4);
  wire::Rules again;
  encode(*rules, SweepId{message.sweep()}, message.number(), again);
  KS_ASSERT(decode(again).has_value());
}

void decode_jobs(const google::protobuf::RepeatedPtrField<wire::Job>& jobs) {
  wire::JobBody body;
  for (const wire::Job& job : jobs) {
    if (!body.ParseFromString(job.body())) continue;
    for (const wire::Value& value : body.values()) decode_value(value);
  }
}

void decode_outcomes(const wire::Outcomes& outcomes) {
  wire::OutcomeBody body, again;
  for (const wire::Outcome& outcome : outcomes.outcomes()) {
    decode_attempt(outcome.attempt());
    if (body.ParseFromString(outcome.body())) KS_ASSERT(again.ParseFromString(body.SerializeAsString()));
  }
}

void to_coordinator(const std::string& bytes) {
  wire::ToCoordinator message;
  if (!message.ParseFromString(bytes)) return;
  for (const auto& [name, value] : message.hello().host().facts()) decode_value(value);
  for (const wire::Attempt& attempt : message.hello().holding()) decode_attempt(attempt);
  for (const wire::Attempt& attempt : message.returned().attempts()) decode_attempt(attempt);
  decode_outcomes(message.outcomes());
}

void to_worker(const std::string& bytes) {
  wire::ToWorker message;
  if (!message.ParseFromString(bytes)) return;
  for (const wire::Rules& rules : message.jobs().rules()) decode_rules(rules);
  for (const wire::Attempt& attempt : message.cancel().attempts()) decode_attempt(attempt);
  for (const wire::Attempt& attempt : message.release().attempts()) decode_attempt(attempt);
  decode_jobs(message.jobs().jobs());
}

void to_slot(const std::string& bytes) {
  wire::ToSlot message;
  if (!message.ParseFromString(bytes)) return;
  for (const wire::Rules& rules : message.run().rules()) decode_rules(rules);
  decode_jobs(message.run().jobs());
}

void to_worker_from_slot(const std::string& bytes) {
  wire::ToWorkerFromSlot message;
  if (!message.ParseFromString(bytes)) return;
  wire::TensorSpec spec;
  for (const wire::TensorRequest& request : message.tensors().tensors()) {
    static_cast<void>(spec.ParseFromString(request.spec()));
  }
  decode_outcomes(message.outcomes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  silence_decoders();
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'c':
      to_coordinator(bytes);
      break;
    case 'a':
      to_worker(bytes);
      break;
    case 's':
      to_slot(bytes);
      break;
    case 'f':
      to_worker_from_slot(bytes);
      break;
    default:
      to_coordinator(bytes);
      to_worker(bytes);
      to_slot(bytes);
      to_worker_from_slot(bytes);
  }
  return 0;
}
