// What to run next in a sweep that asks for more processes only where a comparison is not decided. Pure:
// the same contests give the same decision, so a decision can be repeated from the database.
//
// A sweep is looked at when all that was asked for has its outcome: after the processes that each point
// has, and then after kLooks. Each look is one test, and errs with its share (kLookShare of
// shared/stats/contest.hpp). More looks than these would make `wins` wrong too often.
//
// A contest is a problem or a claim that is not decided. A further round has the points of each: of a
// problem the leader and every rival that it is not shown to be faster than, of a claim both sides of every
// pair that is open. They run in each process: times are compared within one process ordinal, close in
// time. A contest has no part in a round
//   - if, from kForeseenFrom processes on, it would need more than kForeseenMost times the most processes
//     that a point may have: what is needed is foreseen from the spread, and is off by as much;
//   - if the round would take more than what is left of the time. Claims go first, because a file asks them
//     by name; then problems; of each the cheap ones first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"

namespace kernsweep::coordinator {

inline constexpr std::array<std::uint32_t, 5> kLooks = {5, 10, 13, 16, 20};
inline constexpr std::uint32_t kForeseenFrom = 10;
inline constexpr double kForeseenMost = 1.5;

struct OpenContest {
  std::vector<std::uint64_t> points;  // positions
  std::size_t needed = 0;             // processes that would decide it; 0: more than can be foreseen
  double process_s = 0;               // of one process of each of these points together
  bool is_claim = false;
};

struct DecideState {
  std::uint64_t problems = 0;  // with two points or more that can be compared, open ones included
  std::uint64_t claims = 0;    // open ones included
  std::uint64_t stuck = 0;     // claims that further processes cannot decide; not among the open ones
  std::uint32_t asked = 0;     // processes asked for so far
  std::uint32_t most = 0;      // that a point may have
  double left_s = 0;           // that further processes may take together
  std::uint64_t left_jobs = UINT64_MAX;  // that they may be
  std::uint32_t jobs_of_process = 1;     // of a point: in each state of the caches
  bool out_of_time = false;    // a point has taken as long as it may
};

// Processes `from` <= p < `until` of these points; from == until: nothing more.
struct Decision {
  std::uint32_t from = 0, until = 0;
  std::vector<std::uint64_t> points;  // ascending
  std::string why;  // for the user: what is decided, and what not; empty: nothing is to be decided
};
Decision decide_next(std::span<const OpenContest> open, const DecideState& state);

}  // namespace kernsweep::coordinator
