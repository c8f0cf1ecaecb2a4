// Which settings change the bits of outputs, as text for the user and as JSON.
#pragma once

#include <string>

#include "results/answer/outputs/bits.hpp"

namespace kernsweep {

std::string text_of(const BitsAnswer& answer, const BitsQuestion& question);
std::string to_json(const BitsAnswer& answer);

}  // namespace kernsweep
