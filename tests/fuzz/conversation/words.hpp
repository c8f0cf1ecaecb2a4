// Messages to a coordinator, whole and half right, as a script chooses them.
#pragma once

#include <string>
#include <vector>

#include "shared/base/ids.hpp"
#include "shared/wire/protocol.pb.h"
#include "tests/fuzz/script.hpp"

namespace kernsweep::fuzz {

// The sweep that the coordinator is started for: 6 points of `noop`, one of which it rejects.
extern const char* const kOwnSweep;

// The state that the speaker needs for messages that fit.
struct Known {
  std::vector<AttemptId> held;    // sent to it and not answered
  std::vector<AttemptId> others;  // sent to anybody at any time
  std::string database;           // from the welcome
};

AttemptId attempt_from(Script& script, const Known& known);
void fill_hello(Script& script, const Known& known, const std::string& instance, wire::Hello& hello);
void fill_honest_hello(const std::string& instance, wire::Hello& hello);
void fill_outcomes(Script& script, const Known& known, wire::Outcomes& outcomes);
// An honest outcome.
void add_ok(const AttemptId& attempt, wire::Outcomes& outcomes);
void fill_attempts(Script& script, const Known& known, wire::Attempts& attempts);
void fill_request(Script& script, wire::Request& request);
void fill_submit(Script& script, wire::Submit& submit);

}  // namespace kernsweep::fuzz
