// One running sweep of a coordinator: its jobs, the writer of their messages, and what is reported about
// it. The core shares its ownership as long as it uses the space.
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
        since(now) {
    if (how.blocks) space.leave_out_from(*how.blocks);
    for (const AskedRound& round : how.rounds) space.ask(round);
    // A run that was stopped in its last round evaluates it again.
    nothing_more = how.finished || !decides(expansion->sweep());
    if (how.finished && !how.rounds.empty()) decided = how.rounds.back().why;
  }

  const std::string& name() const { return expansion->sweep().name; }

  SweepId id;
  std::shared_ptr<const Expansion> expansion;
  ExpansionSpace space;
  BatchWriter writer;
  // As in its SweepOrder; used to restart it.
  std::string replacements;
  std::int32_t priority;
  bool submitted;
  Instant since;
  bool held_against_catalogue = false;  // the check against a worker's catalogue was made
  bool cancelled = false;
  std::uint64_t restarted = 0;      // in points
  std::uint64_t unplaced_told = 0;  // jobs that fit no host, as last reported
  bool superseded = false;          // a new sweep replaces it
  bool nothing_more = false;        // no further process is requested
  std::uint64_t open = 0;           // undecided contests at the last look
  std::string decided;              // AskedRound::why of the last decision; empty: there was none
  std::string taken_over;           // a line on results of other sweeps that are reused; empty: none
  std::vector<std::string> again;   // why results of earlier runs are measured again, one line per cause
};

// The data that is kept of an ended sweep.
struct EndedSweep {
  SweepId id;
  std::string name;
  Ending ending = Ending::complete;
  Hosts hosts = Hosts::any;
  bool cancelled = false;
  std::uint64_t raw_points = 0, raw_jobs = 0;
  std::size_t filters = 0;
  std::uint32_t blocks = 0;        // of each point, if the others were left out; else 0
  std::string decided;             // as in RunningSweep
  std::uint64_t further_jobs = 0;  // as in ExpansionSpace
  std::string taken_over;
  std::vector<std::string> again;
  Duration took{};
};

}  // namespace kernsweep::coordinator
