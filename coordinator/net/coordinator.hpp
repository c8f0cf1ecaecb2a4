// The coordinator: the shell around its core. Passes messages between workers, clients and the core, gives
// results to the store thread, and reports progress.
//
// One thread with one poll loop. Each turn reads what arrived, applies it to the core, carries out the
// core's actions, and sends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/core.hpp"
#include "language/check/rejections.hpp"
#include "language/space/expansion.hpp"
#include "shared/base/again.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The worker that `kernsweep run` has started on this machine.
class LocalWorker {
 public:
  virtual ~LocalWorker() = default;
  virtual int descriptor() const = 0;  // readable when the worker has ended
  // Must be called when the worker has ended: restarts it, and returns how it ended. Error: it cannot be
  // started, or has ended too often.
  virtual Result<std::string> restart() = 0;
};

struct Progress {
  coordinator::Tally tally;
  std::vector<std::string> active;  // labels of the jobs that are running
  std::string waits;                // why a worker measures nothing now; empty: none waits
  std::uint32_t workers = 0;
  double seconds = 0;
  double waited_s = 0;  // of these, while every worker waited for a quiet host
  // For sweeps that decide by their results: jobs requested beyond the processes of each point, contests
  // that were undecided at the last look, and whether more jobs may be requested.
  std::uint64_t further = 0, open = 0;
  bool may_ask = false;
};

// Receives progress and notes. Called from the coordinator's thread, progress() a few times per second.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // The coordinator's own sweep starts. `earlier` of its jobs were measured in an earlier run of it.
  virtual void begun(std::uint64_t earlier) = 0;
  virtual void progress(const Progress& progress) = 0;
  virtual void note(const std::string& line) = 0;
  // A line that the user must know to end a wait; printed even if notes are not.
  virtual void warning(const std::string& line) { note(line); }
};

struct CoordinatorConfig {
  std::vector<std::string> endpoints;  // "tcp://127.0.0.1:7777", "ipc://@name"; at least one
  std::string join;  // path of the join file that is written; empty: no keys and no encryption
  std::vector<std::string> advertised;  // addresses for the join files, if `endpoints` cannot be reached
  std::string token;                    // token that workers must send; empty: any worker may join
  std::string database;
  std::string replacements;  // replacements of the command line, as text for the database
  Again again = Again::no;   // which jobs are measured again although they have a result
  bool stay = false;
  LocalWorker* local_worker = nullptr;
  std::string metrics;  // address for Prometheus, as MetricsPort::open takes it; empty: none
  // Called for each address as soon as it is known and the join files are written.
  std::function<void(const std::string& endpoint)> listening;
};

struct SweepSummary {
  SweepId sweep;
  std::string name;
  coordinator::Ending ending = coordinator::Ending::complete;
  coordinator::Tally tally;
  Rejections rejections;     // points that were reached and rejected; by_rule is empty if none was
  std::uint32_t blocks = 0;  // of each point, if the others were left out; else 0
  std::string decided;       // of a sweep that decides by its results: what is decided, and what not
  std::uint64_t reused = 0;
  std::string taken_over;          // a line on results of other sweeps that were reused; empty: none
  std::vector<std::string> again;  // why results of earlier runs were measured again, one line per cause
  bool cancelled = false;          // cancelled by a client
  bool nothing_to_do = false;      // every job already had its outcome
  double seconds = 0;
};

struct CoordinatorSummary {
  std::optional<SweepSummary> own;
  std::vector<SweepSummary> others;  // sweeps that were submitted by clients or resumed
  double seconds = 0;
  std::string failure;    // why the database could not be written; empty: no failure
  std::string low_space;  // why it could soon not be; empty: there was space
};

// Runs until every job of every sweep has its outcome (with `stay`: for ever), or Ctrl-C, or the store
// fails. `own`: the sweep that it was started for; null: clients submit sweeps, and `stay` must be set.
// Error: bad input that is found only here (a kernel that the local worker does not know, an unusable
// database, an address in use); then nothing was measured.
Result<CoordinatorSummary> coordinate(const CoordinatorConfig& config, std::shared_ptr<const Expansion> own,
                                      Watcher& watcher);

}  // namespace kernsweep
