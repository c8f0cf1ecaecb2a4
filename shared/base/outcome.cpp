#include "shared/base/outcome.hpp"

#include <array>
#include <cstddef>

#include "shared/base/result.hpp"

namespace kernsweep {
namespace {

constexpr std::array<std::string_view, 14> kNames = {
    "ok",        "unsupported",   "wrong_result", "failed_setup",  "failed_run",
    "signal",    "timeout_setup", "timeout_run",  "out_of_memory", "worker_lost",
    "cancelled", "unplaceable",   "skipped",      "failed_build"};

}  // namespace

std::string_view name_of(Outcome outcome) {
  const auto number = static_cast<std::size_t>(outcome);
  KS_ASSERT(number >= 1 && number <= kNames.size());
  return kNames[number - 1];
}

std::optional<Outcome> outcome_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Outcome>(i + 1);
  }
  return std::nullopt;
}

bool gives_way(Outcome outcome) {
  return outcome == Outcome::cancelled || outcome == Outcome::skipped || outcome == Outcome::unplaceable ||
         outcome == Outcome::failed_build || outcome == Outcome::worker_lost;
}

char grade_of(Outcome outcome, bool doubtful, bool warned) {
  if (outcome != Outcome::ok) return 'X';
  if (doubtful) return 'C';
  return warned ? 'B' : 'A';
}

}  // namespace kernsweep
