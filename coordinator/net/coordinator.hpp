// The coordinator: the shell around the core. Carries messages between workers, clients and the core, hands
// what is to be stored to the store thread, and reports progress.
//
// One thread, one poll loop; a turn collects what came, applies it, does what the core orders, sends.
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
#include "shared/base/result.hpp"

namespace kernsweep {

// The worker that `kernsweep run` has started on this machine.
class LocalWorker {
 public:
  virtual ~LocalWorker() = default;
  virtual int descriptor() const = 0;  // readable when it has ended
  // It has ended: says how, and starts it again. Error: it cannot be started, or has ended too often.
  virtual Result<std::string> restart() = 0;
};

struct Progress {
  coordinator::Tally tally;
  std::vector<std::string> active;  // what runs now, as labels
  std::uint32_t workers = 0;
  double seconds = 0;
};

// Who is told. Called from the coordinator's thread, progress a few times per second.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Its own sweep begins: `reused` jobs were measured in earlier sweeps, `earlier` in an earlier run of
  // this one.
  virtual void begun(std::uint64_t earlier, std::uint64_t reused) = 0;
  virtual void progress(const Progress& progress) = 0;
  virtual void note(const std::string& line) = 0;
};

struct CoordinatorConfig {
  std::vector<std::string> endpoints;  // "tcp://127.0.0.1:7777", "ipc://@name"; at least one
  std::string join;  // path of the join file that is written; empty: everything is in the clear
  std::vector<std::string> advertised;  // how workers reach it, where its own addresses will not do
  std::string token;                    // workers must show it; empty: anyone may join
  std::string database;
  std::string replacements;  // of the command line, as text, for the database
  bool again = false;        // measure what is measured already
  bool stay = false;
  LocalWorker* local_worker = nullptr;
  std::string metrics;  // address for Prometheus, as MetricsPort::open takes it; empty: none
  // Called for each address, once it is known and the join files are written.
  std::function<void(const std::string& endpoint)> listening;
};

struct SweepSummary {
  SweepId sweep;
  std::string name;
  coordinator::Ending ending = coordinator::Ending::complete;
  coordinator::Tally tally;
  Rejections rejections;  // its points that were met and rejected; by_rule is empty where none was
  std::uint64_t reused = 0;
  std::vector<std::string> again;  // why what earlier runs measured was measured again, a line each
  bool cancelled = false;          // by a client
  bool nothing_to_do = false;      // every job had its outcome already
  double seconds = 0;
};

struct CoordinatorSummary {
  std::optional<SweepSummary> own;
  std::vector<SweepSummary> others;  // that clients brought, or that were taken up again
  double seconds = 0;
  std::string failure;  // why the database could not be written; empty: it could
};

// Runs until every job of every sweep has its outcome (with `stay`: for ever), or Ctrl-C, or the store
// fails. `own`: the sweep that it was started for; nothing: clients bring some, and `stay` must be set.
// Error: bad input that shows only here (unknown kernel on the local worker, a database that cannot be
// used, an address in use); nothing was measured then.
Result<CoordinatorSummary> coordinate(const CoordinatorConfig& config, std::shared_ptr<const Expansion> own,
                                      Watcher& watcher);

}  // namespace kernsweep
