// What a running coordinator answers, for people.
#pragma once

#include <string>

#include "shared/wire/client.pb.h"

namespace kernsweep {

// One line for all, then a table of sweeps.
std::string text_of(const wire::Status& status);
std::string text_of(const wire::Workers& workers);
// "gemm@3: 120 jobs, 40 of them measured already".
std::string text_of(const wire::Submitted& submitted);

}  // namespace kernsweep
