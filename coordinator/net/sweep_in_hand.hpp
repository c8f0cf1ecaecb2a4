// One sweep of a running coordinator: what its jobs are, how agents are told them, and what people are told
// of it. The core holds a share of it for as long as it asks about its jobs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "coordinator/net/batch.hpp"
#include "coordinator/net/beginning.hpp"
#include "coordinator/net/space.hpp"

namespace kernsweep::coordination {

struct SweepInHand {
  SweepInHand(const SweepBegun& begun, const std::vector<KnownHost>& hosts, KeyBook& book, Instant now)
      : id(begun.id),
        expansion(begun.expansion),
        space(*expansion, hosts),
        writer(space, expansion->sweep(), id, book),
        reused(begun.reused),
        since(now) {}

  const std::string& name() const { return expansion->sweep().name; }

  SweepId id;
  std::shared_ptr<const Expansion> expansion;
  ExpansionSpace space;
  BatchWriter writer;
  std::uint64_t reused;  // jobs that another sweep has measured
  Instant since;
  bool held_against_catalogue = false;  // of a worker that has the family
  bool cancelled = false;
};

// What is left of one that is over.
struct SweepPast {
  SweepId id;
  std::string name;
  Ending ending = Ending::complete;
  Hosts hosts = Hosts::any;
  bool cancelled = false;
  std::uint64_t reused = 0;
  std::uint64_t raw_points = 0, raw_jobs = 0;
  Duration took{};
};

}  // namespace kernsweep::coordination
