// The checks of `kernsweep doctor`: pure functions from the state of a host to findings. To add one: a
// function in a checks_*.cpp, a row in that file's table, and a row in docs/reference/doctor.md (a test
// compares the two).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "worker/host/doctor/check_finding.hpp"
#include "worker/host/doctor/conditions.hpp"

namespace kernsweep {

struct Check {
  const char* id;
  const char* group;
  const char* why;
  // Usually one; a check of libraries has one for each library.
  std::vector<Assessment> (*assess)(const HostConditions& host);
};

// Each file of checks has one table.
std::span<const Check> processor_checks();
std::span<const Check> machine_checks();  // virtualisation, load, clock
std::span<const Check> memory_checks();
std::span<const Check> kernel_checks();  // kernel settings, limits
std::span<const Check> library_checks();
std::span<const Check> gpu_checks();

// All checks, in the order of the output.
std::vector<Check> all_checks();
std::vector<CheckFinding> examine(const HostConditions& host);

// Makes a check with one assessment fit the table.
template <Assessment (*kAssess)(const HostConditions&)>
std::vector<Assessment> one(const HostConditions& host) {
  return {kAssess(host)};
}

// "3.50 GHz", "12.3 GiB", "1.5 us" for findings.
std::string frequency_text(std::uint64_t khz);
std::string bytes_text(std::uint64_t bytes);
std::string time_text(double seconds);

// The value, or null if there is none.
template <class T>
Value value_or_null(const std::optional<T>& value) {
  if (!value) return Null{};
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    return static_cast<std::int64_t>(*value);
  } else {
    return *value;
  }
}

}  // namespace kernsweep
