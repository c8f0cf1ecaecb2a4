// Whether what earlier runs have measured still holds, decided before a sweep goes on.
//
// What the file declares is known here and stands in the key of a job. What really runs is known on the
// host that measures: each stored result says by which host and software it came about (its origin), and a
// worker of the same kind of host says whether that software is still what would run there (SoftwareCheck).
// A result is used again when both agree; what has changed is measured again, and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "language/space/expansion.hpp"
#include "results/store/earlier_results.hpp"
#include "shared/base/answering_thread.hpp"
#include "shared/base/ids.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

struct EarlierQuestion {
  SweepId sweep;
  std::string database;  // path
  std::shared_ptr<const Expansion> expansion;
  std::vector<Origin> own;  // that answered jobs of this sweep in earlier runs
  bool others = false;      // other sweeps have results of the same kernel
  SweepId supersedes;       // begun anew beside this sweep; 0: none
};
struct EarlierAnswer {
  SweepId sweep;
  std::vector<Origin> own;
  EarlierResults others;
  // Of the jobs that are not rejected, where they are few enough to be counted beforehand.
  std::optional<std::vector<Digest>> keys;
  std::string failure;  // the database could not be read; nothing is used again
};
EarlierAnswer read_earlier(EarlierQuestion question);
using EarlierReader = AnsweringThread<EarlierQuestion, EarlierAnswer>;

// Of one sweep. Pure: knows workers by number and hosts by fingerprint.
class EarlierCheck {
 public:
  // `program`: a command or a Python function is measured, of which a result says nothing without sources.
  explicit EarlierCheck(bool program) : program_(program) {}

  void read(EarlierAnswer answer);
  bool is_read() const { return read_; }

  // What to ask this worker, numbered from `number` on; what another was asked is not asked again.
  wire::SoftwareChecks questions_for(WorkerId worker, const std::string& fingerprint,
                                     std::uint32_t& number);
  void answered(WorkerId worker, const wire::SoftwareAnswer& answer);
  // Who was asked and is no longer here has not answered.
  void forget_all_but(const std::set<WorkerId>& here);
  // Origins whose host is none of these cannot be asked about: they stand as `absent_own_holds` says, and
  // are not used by others. `cause`: what is told of them, before the name of the host.
  void give_up_all_but(const std::set<std::string>& fingerprints, bool absent_own_holds,
                       const std::string& cause = "the host that measured is not here");

  bool is_settled() const;
  // Something that earlier runs of this sweep measured would be measured otherwise now.
  bool is_stale() const;

  // Requires is_settled(). What may be used; null: nothing.
  std::shared_ptr<const EarlierResults> usable();
  // Jobs that will be answered by the results of other sweeps; nothing: too many to be counted.
  std::optional<std::uint64_t> reused() const;
  // Hosts that are not here, whose results of this sweep stand all the same; a name each.
  std::set<std::string> absent() const;
  // "12 jobs are measured again: ./bench.py has changed", a line for each cause, the most frequent first.
  // Of a superseded sweep those count too that had no result, or a doubtful one.
  std::vector<std::string> why_again() const;

 private:
  enum class Holds : std::uint8_t { unknown = 1, yes, no };
  struct Checked {
    Origin origin;
    bool own = false;
    std::optional<std::size_t> place;  // in others_.origins()
    Holds holds = Holds::unknown;
    std::string changed;
    std::optional<WorkerId> asked;
    std::uint32_t number = 0;  // of the question
  };
  Checked& checked(const Origin& origin);

  bool program_;
  bool read_ = false;
  std::vector<Checked> all_;
  std::shared_ptr<EarlierResults> others_ = std::make_shared<EarlierResults>();
  std::optional<std::vector<Digest>> keys_;
  std::string failure_;
};

}  // namespace kernsweep::coordinator
