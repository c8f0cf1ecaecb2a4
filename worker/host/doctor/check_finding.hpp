// One judgement about a host: what was found, how good that is for measuring, and what to do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared/base/value.hpp"

namespace kernsweep {

// good: as it should be. note: worth knowing when numbers are read. warning: makes numbers worse or rarer
// than they need be. bad: numbers from this host will mislead until it is changed.
enum class Verdict : std::uint8_t { good = 1, note, warning, bad };

const char* name_of(Verdict verdict);

// What a check says of one thing; the rest of a finding belongs to the check itself.
struct Assessment {
  Verdict verdict = Verdict::good;
  std::string found;   // for a person, one line
  std::string remedy;  // one line, with the command where there is one; empty: nothing to do
  std::map<std::string, Value> values;  // the same for programs; null: not shown by this system
};

struct CheckFinding {
  std::string id;     // "cpu.governor"; stable, documented in docs/reference/doctor.md
  std::string group;  // "processor"
  std::string why;    // why it matters, one sentence
  Assessment is;
};

std::size_t count_of(const std::vector<CheckFinding>& findings, Verdict verdict);

}  // namespace kernsweep
