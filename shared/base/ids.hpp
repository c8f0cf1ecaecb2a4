// Each kind of id has a type of its own, so that they cannot be confused.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace kernsweep {

template <class Tag, class Number>
struct Id {
  Number value{};
  friend auto operator<=>(Id, Id) = default;
};

// One session of one worker with one coordinator; a new session has a new, larger number (the epoch).
using WorkerId = Id<struct WorkerTag, std::uint32_t>;
// A sweep within one coordinator's database (sweep.id).
using SweepId = Id<struct SweepTag, std::uint32_t>;
// A process of a worker. A number is not used again while the worker runs.
using SlotId = Id<struct SlotTag, std::uint32_t>;
// A set of measuring rules, numbered by the coordinator within one sweep.
using RulesId = Id<struct RulesTag, std::uint32_t>;

// One point to be measured once. `index` numbers the jobs of the sweep in its order, rejected points
// included, so that it can be computed without a list of jobs. `host` is 0; with `hosts: each` it is the
// number of the host (host.id); with `hosts: any`, if the point was restarted on another kind of hardware,
// it is restarted(times).
struct JobId {
  SweepId sweep;
  std::uint64_t index = 0;
  std::uint32_t host = 0;
  friend auto operator<=>(const JobId&, const JobId&) = default;
};

// JobId::host of a point that was restarted `times` times. The database stores it as a signed number,
// -times.
constexpr std::uint32_t restarted(std::uint32_t times) {
  return 0 - times;
}
constexpr std::int64_t signed_host(std::uint32_t host) {
  return static_cast<std::int32_t>(host);
}
// How often the point was restarted; 0 if `host` is the number of a host.
constexpr std::uint32_t times_restarted(std::uint32_t host) {
  return static_cast<std::int32_t>(host) < 0 ? 0 - host : 0;
}

// One try at a job. Numbers count from 1; a retry has a new number, and only the newest attempt is
// accepted.
struct AttemptId {
  JobId job;
  std::uint32_t number = 0;
  friend auto operator<=>(const AttemptId&, const AttemptId&) = default;
};

inline std::size_t mix_hash(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15ULL ^ (b + 0x7F4A7C15ULL + (a << 6) + (a >> 2));
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  return static_cast<std::size_t>(x ^ (x >> 32));
}

}  // namespace kernsweep

template <class Tag, class Number>
struct std::hash<kernsweep::Id<Tag, Number>> {
  std::size_t operator()(kernsweep::Id<Tag, Number> id) const { return kernsweep::mix_hash(id.value, 1); }
};

template <>
struct std::hash<kernsweep::JobId> {
  std::size_t operator()(const kernsweep::JobId& id) const {
    return kernsweep::mix_hash(id.index, (std::uint64_t{id.sweep.value} << 32) | id.host);
  }
};

template <>
struct std::hash<kernsweep::AttemptId> {
  std::size_t operator()(const kernsweep::AttemptId& id) const {
    return kernsweep::mix_hash(std::hash<kernsweep::JobId>()(id.job), id.number);
  }
};
