// Decides whether results of earlier runs are still valid, before a sweep continues.
//
// The key of a job has everything that the sweep file says about it. The software that runs is known only
// on the host that measures. So each stored result has its origin, the host and software that measured it,
// and a worker on the same kind of host checks whether that software would still run there (SoftwareCheck).
// A result is reused if the key and the software are the same; jobs whose software has changed are
// re-measured.
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
  std::vector<Origin> own;  // of results of this sweep from earlier runs
  bool others = false;      // other sweeps have results of the same kernel
  SweepId supersedes;       // the sweep that this one replaces; 0: none
};
struct EarlierAnswer {
  SweepId sweep;
  std::vector<Origin> own;
  EarlierResults others;
  // Keys of the jobs that are not rejected and requested from the start; nothing if there are too many.
  std::optional<std::vector<Digest>> keys;
  std::string failure;  // why the database could not be read; then nothing is reused
};
EarlierAnswer read_earlier(EarlierQuestion question);
using EarlierReader = AnsweringThread<EarlierQuestion, EarlierAnswer>;

// The check for one sweep. No input or output: workers are numbers, hosts are fingerprints.
class EarlierCheck {
 public:
  // `program`: a command or a Python function is measured; then a result without sources cannot be checked.
  explicit EarlierCheck(bool program) : program_(program) {}

  void read(EarlierAnswer answer);
  bool is_read() const { return read_; }

  // The checks for this worker, numbered from `number` on, without those that were sent to another worker.
  wire::SoftwareChecks questions_for(WorkerId worker, const std::string& fingerprint,
                                     std::uint32_t& number);
  void answered(WorkerId worker, const wire::SoftwareAnswer& answer);
  // Checks sent to workers that are not in `here` count as not sent.
  void forget_all_but(const std::set<WorkerId>& here);
  // Origins on other hosts than these cannot be checked: this sweep's own results are valid if
  // `absent_own_holds`, and results of other sweeps are not used. `cause`: reported for them, before the
  // name of the host.
  void give_up_all_but(const std::set<std::string>& fingerprints, bool absent_own_holds,
                       const std::string& cause = "the host that measured is not here");

  bool is_settled() const;
  // Whether a result of an earlier run of this sweep is no longer valid.
  bool is_stale() const;

  // Requires is_settled(). The results that may be reused; null: none.
  std::shared_ptr<const EarlierResults> usable();
  // How many jobs reuse the result of another sweep, and a line about it: from which sweeps, and why that
  // is allowed. 0 and empty: none. 0 and a line: too many to count.
  struct TakenOver {
    std::uint64_t jobs = 0;
    std::string text;
  };
  TakenOver taken_over() const;
  // Names of disconnected hosts whose results of this sweep are valid without a check.
  std::set<std::string> absent() const;
  // "12 jobs are measured again: ./bench.py has changed": one line for each cause, the most frequent first.
  // For a superseded sweep, jobs without a result or with a doubtful one count, too.
  std::vector<std::string> why_again() const;

 private:
  enum class Holds : std::uint8_t { unknown = 1, yes, no };
  struct Checked {
    Origin origin;
    bool own = false;
    std::optional<std::size_t> place;  // position in others_.origins()
    Holds holds = Holds::unknown;
    std::string changed;
    std::optional<WorkerId> asked_worker;
    std::uint32_t number = 0;  // number of the question that was sent
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
