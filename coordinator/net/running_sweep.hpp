// One sweep of a running coordinator: what its jobs are, how workers are told them, and what people are
// told of it. The core holds a share of it for as long as it asks about its jobs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "coordinator/net/batch.hpp"
#include "coordinator/net/beginning.hpp"
#include "coordinator/net/space.hpp"

namespace kernsweep::coordinator {

struct RunningSweep {
  RunningSweep(const SweepBegun& how, const std::vector<KnownHost>& hosts, KeyBook& book, Instant now)
      : id(how.id),
        expansion(how.expansion),
        space(*expansion, hosts),
        writer(space, expansion->sweep(), id, book),
        replacements(how.replacements),
        priority(how.priority),
        submitted(how.submitted),
        since(now) {}

  const std::string& name() const { return expansion->sweep().name; }

  SweepId id;
  std::shared_ptr<const Expansion> expansion;
  ExpansionSpace space;
  BatchWriter writer;
  // As it was ordered, to begin it anew.
  std::string replacements;
  std::int32_t priority;
  bool submitted;
  Instant since;
  bool held_against_catalogue = false;  // of a worker that has the family
  bool cancelled = false;
  std::uint64_t begun_anew = 0;    // points
  bool superseded = false;         // it was begun anew beside this one
  std::vector<std::string> again;  // why what earlier runs measured is measured again, a line each
};

// What is left of one that is over.
struct EndedSweep {
  SweepId id;
  std::string name;
  Ending ending = Ending::complete;
  Hosts hosts = Hosts::any;
  bool cancelled = false;
  std::uint64_t raw_points = 0, raw_jobs = 0;
  std::vector<std::string> again;
  Duration took{};
};

}  // namespace kernsweep::coordinator
