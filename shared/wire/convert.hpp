// Between the messages and the vocabulary of all rooms. Numbers from a peer are checked here: an enumerator
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
constexpr std::uint32_t kProtocolMinor = 4;
// Workers of an older minor know nothing of SlotKey.gpus, and would run such jobs beside each other.
constexpr std::uint32_t kProtocolMinorOfGpus = 2;
// Workers of an older minor do not answer SoftwareChecks.
constexpr std::uint32_t kProtocolMinorOfChecks = 3;

// Protocol Buffers writes a line on stderr for each text of a message that is no UTF-8; what a peer sends
// must not fill the terminal. From now on it writes none. Such messages are refused all the same.
void silence_decoders();

void encode(const Value& value, wire::Value& out);
Value decode(const wire::Value& value);

void encode(const AttemptId& attempt, wire::Attempt& out);
AttemptId decode(const wire::Attempt& attempt);

// `retry` stays with the coordinator and is not sent; `cache` travels with each job.
void encode(const Rules& rules, SweepId sweep, std::uint32_t number, wire::Rules& out);
Result<Rules> decode(const wire::Rules& rules);

// "cores 2, 3 (a process that ran there ...)".
std::string text_of(const wire::LostCores& lost);

}  // namespace kernsweep
