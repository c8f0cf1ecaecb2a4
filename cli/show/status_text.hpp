// Answers of a running coordinator as text.
#pragma once

#include <string>

#include "shared/wire/client.pb.h"

namespace kernsweep {

// One line about the coordinator (a second one if its database cannot be written), then a table of sweeps.
std::string text_of(const wire::Status& status);
std::string text_of(const wire::Workers& workers);
// "gemm@3: submitted, 120 jobs before constraints, 40 have their outcome from an earlier run".
std::string text_of(const wire::Submitted& submitted);

}  // namespace kernsweep
