// Whether the host is quiet enough to measure, how long to wait until it is, and whether a disturbance
// stands, so that another try would not help. Pure: reads no clock.
//
// The host is looked at while watched jobs are measured, at most once per second, and after each result
// that was disturbed. If others are busy, no watched job is measured until they are not, or until the
// patience is used up: one budget for each sweep, not for each job. From then on the disturbance stands,
// until the host has been quiet for a while. It also stands if every result was disturbed for as long as
// the patience lasts, by something that no look shows: a hypervisor, the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shared/base/ids.hpp"
#include "shared/base/instant.hpp"

namespace kernsweep::worker {

// What others did on this host since the look before. The answer to LookAtHost.
struct HostSeen {
  double busy_cores = 0;         // of processes that are not ours
  double steal_share = 0;        // of the time of all processors, stolen by a hypervisor
  std::uint32_t processors = 0;  // of the host
  std::string who;               // "clang uses 1.9 cores, cc1 0.3"; empty: none is known by name
  Duration took{};               // the look itself
};
// More than 0.2 cores, and more than a twentieth of the host; or more than a twentieth of its time stolen.
bool disturbs(const HostSeen& seen);

class Quiet {
 public:
  static constexpr Duration kWindow = 250ms;     // a shorter time between two looks says nothing
  static constexpr Duration kEvery = 1s;         // between looks while jobs are measured
  static constexpr Duration kWaitEvery = 500ms;  // between looks while jobs wait
  static constexpr int kQuietLooks = 2;          // in a row, that end the waiting
  static constexpr Duration kQuietAgain = 5s;    // of quiet, after which a disturbance stands no longer
  static constexpr std::uint32_t kDisturbedInRow = 3;  // results, before what no look shows can stand

  // `patience`: for how long the jobs of a sweep may wait in all. 0: they never wait.
  explicit Quiet(Duration patience) : patience_(patience), left_(patience) {}

  void start(Instant now) { looked_ = now; }  // the time from which the first look counts
  // Jobs of this sweep have come. A newer sweep gets a patience of its own.
  void begin(SweepId sweep);
  // A watched job may get its lease. False: it may after a look that is due at look_at().
  bool may_measure(Instant now) const;
  Instant look_at() const { return looked_ + (waiting_ ? kWaitEvery : kWindow); }
  // Returns a line for the user; empty: nothing new.
  std::string seen(Instant now, const HostSeen& seen);
  // No job may have a lease now: the waiting is over, and what it took is used up.
  void nobody_waits(Instant now);
  // A watched job has its result.
  void measured(Instant now, bool disturbed);
  bool stands(Instant now) const;

  // "waiting for quiet: clang uses 1.9 cores; 24 s left, --patience 0 does not wait"; empty: it is not
  // waited.
  std::string waits() const;
  // "not tried again, the disturbance stays: clang uses 1.9 cores". Requires stands().
  std::string why_not_again() const;

 private:
  void spend(Instant now);
  std::string who() const;
  std::string give_up();

  Duration patience_, left_;
  SweepId sweep_;
  Instant looked_;
  Duration every_ = kEvery;
  bool suspicious_ = true;  // a look is due whenever the last one was
  bool waiting_ = false;
  Instant counted_;  // the patience is spent up to here; of a waiting
  Duration waited_{};
  int quiet_looks_ = 0;
  bool stands_ = false;
  bool reported_ = false;  // of this sweep, that the disturbance stands
  std::optional<Instant> quiet_since_;
  std::uint32_t disturbed_ = 0;  // results in a row
  Instant disturbed_since_;
  HostSeen last_;  // that was disturbed
};

}  // namespace kernsweep::worker
