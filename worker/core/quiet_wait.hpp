// Whether the host is quiet enough to measure, how long to wait for that, and whether a disturbance is
// permanent, so that a retry would not help. Pure: reads no clock.
//
// The worker looks at the host while watched jobs are measured, at most once per second, and after each
// disturbed result. If other programs are busy, no watched job is measured until they are not, or until the
// patience is used up: one budget for each sweep, not for each job. From then on the disturbance counts as
// permanent, until the host has been quiet for a while. It is also permanent if every result was disturbed
// for as long as the patience lasts, by a cause that no look shows: a hypervisor, the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shared/base/ids.hpp"
#include "shared/base/instant.hpp"

namespace kernsweep::worker {

// The load of other programs on this host since the last look. The answer to LookAtHost.
struct HostSeen {
  double busy_cores = 0;         // by processes that are not ours
  double steal_share = 0;        // share of the time of all processors that a hypervisor stole
  std::uint32_t processors = 0;  // of the host
  std::string who;               // "clang uses 1.9 cores, cc1 0.3"; empty: no name is known
  Duration took{};               // the time of the look itself
};
// More than 0.2 cores, and more than a twentieth of the host; or more than a twentieth of its time stolen.
bool disturbs(const HostSeen& seen);

class Quiet {
 public:
  static constexpr Duration kWindow = 250ms;           // a shorter time between two looks shows nothing
  static constexpr Duration kEvery = 1s;               // between looks while jobs are measured
  static constexpr Duration kWaitEvery = 500ms;        // between looks while jobs wait
  static constexpr int kQuietLooks = 2;                // in a row, which end the waiting
  static constexpr Duration kQuietAgain = 5s;          // of quiet, which end a permanent disturbance
  static constexpr std::uint32_t kDisturbedInRow = 3;  // results, before an unseen cause is permanent

  // `patience`: for how long the jobs of a sweep may wait in all. 0: they never wait.
  explicit Quiet(Duration patience) : patience_(patience), left_(patience) {}

  void start(Instant now) { looked_ = now; }  // the begin of the first look's window
  // Jobs of this sweep have arrived. A newer sweep gets a patience of its own.
  void begin(SweepId sweep);
  // A watched job may get its lease. False: only after a look that is due at look_at().
  bool may_measure(Instant now) const;
  Instant look_at() const { return looked_ + (waiting_ ? kWaitEvery : kWindow); }
  // Returns a line for the user; empty: nothing new.
  std::string seen(Instant now, const HostSeen& seen);
  // No job could have a lease now: the waiting is over, and its time is subtracted.
  void nobody_waits(Instant now);
  // A watched job has its result.
  void measured(Instant now, bool disturbed);
  bool stands(Instant now) const;

  // "waiting for quiet: clang uses 1.9 cores; 24 s left, --patience 0 does not wait"; empty: no job waits.
  std::string waits() const;
  // "not retried, because the disturbance lasts: clang uses 1.9 cores". Requires stands().
  std::string why_not_again() const;

 private:
  void spend(Instant now);
  std::string who() const;
  std::string give_up();

  Duration patience_, left_;
  SweepId sweep_;
  Instant looked_;
  Duration every_ = kEvery;
  bool suspicious_ = true;  // a look is due after each result
  bool waiting_ = false;
  Instant counted_;  // the end of the waiting time that was subtracted from the patience
  Duration waited_{};
  int quiet_looks_ = 0;
  bool stands_ = false;
  bool reported_ = false;  // whether the permanent disturbance was reported for this sweep
  std::optional<Instant> quiet_since_;
  std::uint32_t disturbed_ = 0;  // results in a row
  Instant disturbed_since_;
  HostSeen last_;  // the last look that disturbed
};

}  // namespace kernsweep::worker
