// Numbers for people: three or four digits and a unit of a fitting size. Files and JSON keep plain units
// instead.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep {

// "812 ns", "12.3 µs", "4.56 ms", "1.23 s"; "-" when not finite.
std::string text_of_seconds(double seconds);
// "812 ms", "12.3 s", "4 min 05 s", "3 h 20 min": for waiting, not for measuring.
std::string text_of_wait(double seconds);
// Four significant digits, without exponent between 1e-4 and 1e9: "35.12", "1834", "0.05".
std::string text_of_number(double number);
std::string text_of_bytes(double bytes);         // "1.5 GiB"
std::string text_of_count(std::uint64_t count);  // "1,234,567"

}  // namespace kernsweep
