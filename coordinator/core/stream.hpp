// The jobs of one sweep in order, and which kind of host may have which: `any` has one stream, `each` one
// per host.
//
// Analogy: a counter at a post office. Parcels come past once, in order. One that the clerk at hand cannot
// lift is put on the shelf of those clerks who can; one that nobody ever seen here can lift goes to the
// cellar, until somebody of a new build walks in, for whom everything on shelves and in the cellar is
// looked at once more.
//
// A shelf belongs to a need: the set of host kinds (present or gone) that fit. A worker takes from its
// shelves first, oldest job first, then jobs to be tried again, then the stream itself. So no job overtakes
// another of equal need for ever, and a job whose only host is away waits for it.
//
// Jobs that ended badly lie apart, by the host where they did: everybody but that host is offered them
// first of all, that host only while nobody else is here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/backlog.hpp"
#include "coordinator/core/core.hpp"
#include "coordinator/core/flights.hpp"
#include "coordinator/core/ledger.hpp"

namespace kernsweep::coordination {

using HostKind = std::uint32_t;  // hosts with equal cores, gpus and facts

struct Taker {
  HostKind kind = 0;
  std::uint32_t host = 0;
  bool suspects = true;  // it may be given jobs that have ended badly
};

enum class Draw : std::uint8_t { job, nothing, pause };  // pause: the turn's budget is spent

class Stream {
 public:
  Stream(std::shared_ptr<const JobSpace> space, std::uint32_t host);

  std::uint32_t host() const { return host_; }
  Ledger& ledger() { return ledger_; }

  // True: jobs that were set aside are to be looked at once more.
  bool join(HostKind kind, const HostFacts& facts);
  void leave(HostKind kind, std::uint32_t host);
  // A host that has lost GPUs will not come back with them as those do that are away: what waits for the
  // kind that it was, and fits nobody else, waits for nobody. True: jobs are to be looked at once more.
  bool forget_lost_gpus(const HostFacts& facts);
  bool others_here(std::uint32_t host) const { return hosts_here_.size() > hosts_here_.count(host); }
  bool joined_ever() const { return !kinds_.empty(); }

  // The next job for this taker. Each unwanted job passed over, and each put aside, takes one from
  // `budget`.
  Draw draw(const Taker& taker, Flights& flights, std::uint32_t& budget, std::uint64_t& index);
  void requeue(std::uint64_t index) { revisit_.again.push_back(index); }
  void requeue_elsewhere(std::uint64_t index, std::uint32_t not_on) { bad_on_[not_on].push_back(index); }
  // Moves past jobs that need nothing, though no worker asks. False: the budget is spent.
  bool advance(Flights& flights, std::uint32_t& budget);

  bool scanned() const { return cursor_ >= ledger_.size(); }
  // Nothing is left but what fits no host ever seen.
  bool only_misfits() const { return scanned() && revisit_.empty() && shelves_.empty() && bad_on_.empty(); }
  std::uint64_t cursor() const { return cursor_; }
  bool fits(std::uint64_t index, const HostFacts& facts) const;
  bool fits_somebody_here(std::uint64_t index) const;
  // Why each kind of host that is here cannot take it; a line each, few of them.
  std::vector<std::string> why_not(std::uint64_t index) const;
  std::uint64_t set_aside() const;
  Backlog& misfits() { return misfits_; }
  const Backlog& misfits() const { return misfits_; }
  // Those that were answered after all, by a worker that still had them.
  void drop_settled_misfits(Flights& flights);
  std::string why_misfit(std::uint64_t index) const;

  std::uint64_t unwanted() const { return unwanted_; }
  const std::vector<std::uint64_t>& unwanted_by() const { return unwanted_by_; }  // rule
  std::uint64_t waiting_for_a_host() const;  // fit no host that is here
  std::size_t bytes() const;

 private:
  struct Kind {
    HostFacts facts;
    std::uint32_t present = 0;
    std::map<std::uint32_t, std::uint32_t> workers;  // of each host, those that are away too
  };
  using Need = std::vector<HostKind>;

  bool open(std::uint64_t index, bool again, Flights& flights) const;
  bool crowded() const;
  void forget(HostKind kind);
  std::string why_not(std::uint64_t index, const HostFacts& facts) const;
  Draw draw_suspect(const Taker& taker, Flights& flights, std::uint32_t& budget, std::uint64_t& index);
  bool draw_from_shelf(HostKind kind, Flights& flights, std::uint64_t& index);
  // Takes it, or puts it where it belongs.
  bool take(std::uint64_t index, bool again, HostKind kind);

  std::shared_ptr<const JobSpace> space_;
  std::uint32_t host_;
  Ledger ledger_;
  std::uint64_t cursor_ = 0;
  bool cursor_checked_ = false;
  std::uint64_t unwanted_ = 0;
  std::vector<std::uint64_t> unwanted_by_;
  std::map<HostKind, Kind> kinds_;
  std::map<Need, Backlog> shelves_;
  Backlog misfits_;
  Backlog revisit_;
  std::map<std::uint32_t, std::deque<std::uint64_t>> bad_on_;  // have been tried; none is empty
  std::map<std::uint32_t, std::uint32_t> hosts_here_;          // workers of each
};

}  // namespace kernsweep::coordination
