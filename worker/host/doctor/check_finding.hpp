// The result of one check of a host: what was found, how good that is for measuring, and what to do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared/base/value.hpp"

namespace kernsweep {

// good: as it should be. note: should be known when numbers are read. warning: results are worse, or fewer,
// than possible. bad: results of this host are misleading until it is changed.
enum class Verdict : std::uint8_t { good = 1, note, warning, bad };

const char* name_of(Verdict verdict);

// The variable part of a finding; the rest is the same for every host.
struct Assessment {
  Verdict verdict = Verdict::good;
  std::string found;   // one line for the user
  std::string remedy;  // one line, with the command where there is one; empty: nothing to do
  std::map<std::string, Value> values;  // the same for programs; null: the system does not report it
};

struct CheckFinding {
  std::string id;     // "cpu.governor"; stable, documented in docs/reference/doctor.md
  std::string group;  // "processor"
  std::string why;    // why it matters, one sentence
  Assessment is;
};

std::size_t count_of(const std::vector<CheckFinding>& findings, Verdict verdict);

}  // namespace kernsweep
