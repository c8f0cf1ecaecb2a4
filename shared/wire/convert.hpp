// Conversion between messages and the types of shared/base. Numbers from a peer are checked: an enumerator
// that does not exist becomes an error, never undefined behaviour.
#pragma once

#include "shared/base/ids.hpp"
#include "shared/base/result.hpp"
#include "shared/base/rules.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

namespace wire {
class Attempt;
class LostCores;
class Rules;
class Value;
}  // namespace wire

constexpr std::uint32_t kProtocolMajor = 1;
constexpr std::uint32_t kProtocolMinor = 9;
constexpr std::uint32_t kProtocolMinorOldest = 9;  // the oldest accepted; earlier ones: never released

// Stops Protocol Buffers from writing a line to stderr for each text of a message that is not UTF-8, so
// that a peer cannot fill the terminal. Such messages are still rejected.
void silence_decoders();

void encode(const Value& value, wire::Value& out);
Value decode(const wire::Value& value);

void encode(const AttemptId& attempt, wire::Attempt& out);
AttemptId decode(const wire::Attempt& attempt);

// `retry` is not sent: only the coordinator uses it. `cache` is sent with each job.
void encode(const Rules& rules, SweepId sweep, std::uint32_t number, wire::Rules& out);
Result<Rules> decode(const wire::Rules& rules);

// "cores 2, 3 (a process that ran there ...)".
std::string text_of(const wire::LostCores& lost);

}  // namespace kernsweep
