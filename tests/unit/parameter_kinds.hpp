// Which values a parameter takes: what the check before the first job and the slot at each job must agree
// on. tests/unit/language holds the one to it, tests/unit/slot the other.
#pragma once

namespace kernsweep {

struct KindCase {
  const char* kind;     // of the parameter, as a catalogue says it
  const char* written;  // the only value of an axis, as in a sweep file; in quotes: text
  bool taken;
};

// One scalar of each sort for each kind. Only an integer for a float is converted, because every whole
// number that a file can mean is one; the others would be guesses.
inline constexpr KindCase kKindCases[] = {
    {"integer", "7", true},     {"integer", "-7", true},        {"integer", "7.0", false},
    {"integer", "7.5", false},  {"integer", "1e3", false},      {"integer", "true", false},
    {"integer", "one", false},  {"integer", "\"7\"", false},    {"integer", "null", true},
    {"float", "7", true},       {"float", "7.0", true},         {"float", "-7.5", true},
    {"float", "1e3", true},     {"float", "false", false},      {"float", "one", false},
    {"float", "\"7\"", false},  {"float", "null", true},        {"boolean", "true", true},
    {"boolean", "false", true}, {"boolean", "1", false},        {"boolean", "0.0", false},
    {"boolean", "yes", false},  {"boolean", "\"true\"", false}, {"boolean", "null", true},
    {"text", "one", true},      {"text", "\"7\"", true},        {"text", "7", false},
    {"text", "7.5", false},     {"text", "true", false},        {"text", "null", true},
    {"any", "7", true},         {"any", "7.5", true},           {"any", "true", true},
    {"any", "one", true},       {"any", "null", true},
};

}  // namespace kernsweep
