// What to run next in a sweep that requests more processes only where a comparison is not decided. Pure:
// the same contests give the same decision, so a decision can be repeated from the database.
//
// A sweep is evaluated when all requested jobs have their outcome: after the processes of each point, and
// then after kLooks. Each look is one test with its share of the error (kLookShare of
// shared/stats/contest.hpp). More looks than these would make `wins` wrong too often.
//
// A contest is a problem or a claim that is not decided. A further round has the points of each: for a
// problem the leader and every rival that it is not shown to be faster than, for a claim both sides of
// every undecided pair. They run in each process, because times are compared within one process index,
// close in time. A contest is excluded from a round
//   - if, from kForeseenFrom processes on, it would need more than kForeseenMost times the most processes
//     that a point may have: the need is estimated from the spread, and has that much error;
//   - if the round would exceed the remaining time. Claims come first, because a file requests them by
//     name; then problems; of each kind the cheap ones first.
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
  std::size_t needed = 0;             // processes that would decide it; 0: more than can be estimated
  double process_s = 0;               // of one process of all these points together
  bool is_claim = false;
};

struct DecideState {
  std::uint64_t problems = 0;  // with at least two points that can be compared, including undecided ones
  std::uint64_t claims = 0;    // including undecided ones
  std::uint64_t stuck = 0;     // claims that further processes cannot decide; not among the undecided ones
  std::uint32_t asked = 0;     // processes requested so far
  std::uint32_t most = 0;      // the most processes of a point
  double left_s = 0;           // the remaining time for further processes together
  std::uint64_t left_jobs = UINT64_MAX;  // their remaining number
  std::uint32_t jobs_of_process = 1;     // of a point: one for each cache state
  bool out_of_time = false;              // a point has taken as long as it may
};

// Processes `from` <= p < `until` of these points; from == until: no more.
struct Decision {
  std::uint32_t from = 0, until = 0;
  std::vector<std::uint64_t> points;  // ascending
  std::string why;  // for the user: what is decided, and what not; empty: there is nothing to decide
};
Decision decide_next(std::span<const OpenContest> open, const DecideState& state);

}  // namespace kernsweep::coordinator
