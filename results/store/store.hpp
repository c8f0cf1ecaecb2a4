// The only writer of a results database.
//
// Only one process at a time can have a database open for writing. Readers (results/read/reader.hpp) may
// open it at any time and see only whole batches.
//
// Promises:
//   - what commit() has confirmed survives kill -9 of this process and, by default, loss of power (see
//     Durability and docs/decisions/0002);
//   - a batch is stored as a whole or not at all: after any error all records since the last commit() are
//     rolled back, the store stays usable, and the caller may pass the same records again;
//   - a job has one outcome: an attempt at a job that has one is not stored, and `already_answered` is
//     returned. Only the outcomes cancelled, skipped, unplaceable and worker_lost are replaced by a later
//     attempt;
//   - nothing is written to a file that is rejected.
//
// Layout: see results/sqlite/schema.hpp. Events belong to the batch like other rows. Not thread-safe: used
// by one thread at a time (the store thread). Movable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/sqlite/lock_wait.hpp"
#include "results/sqlite/writer_lock.hpp"
#include "results/store/earlier_results.hpp"
#include "results/store/events.hpp"
#include "results/store/records.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// What a committed batch survives.
enum class Durability : std::uint8_t {
  power_loss = 1,  // commit() waits until it is on the disk: survives loss of power (default)
  process_crash,   // commit() passes it to the operating system: survives kill -9, not loss of power
};

enum class Recorded : std::uint8_t { stored = 1, already_answered };

class Store {
 public:
  struct Options {
    Durability durability = Durability::power_loss;
    WhileLocked while_locked = {};  // see Store::while_locked
  };

  // Opens the database at `path`; creates it if it is missing (its folder must exist), and migrates an
  // older version. Errors, with a message for the user: it is a folder, not a Kernsweep database, damaged,
  // or of a newer version; it or its folder cannot be written; another coordinator uses it (with the pid).
  static Result<Store> open_for_writing(const std::string& path, const Options& options);
  static Result<Store> open_for_writing(const std::string& path) {
    return open_for_writing(path, Options{});
  }

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();  // rolls back what is not committed, releases the lock

  struct Begun {
    SweepId id;
    bool existed = false;           // there was a sweep of the same identity: a rerun or a resume
    bool finished = false;          // its state was `finished`: every job had its outcome
    std::string replacements = {};  // as stored
  };
  // Finds the newest sweep of the same identity and columns, or adds the sweep and its views. `again`:
  // always adds it. Commits. An existing sweep is not changed, except for its problem, if `record` has
  // that; and if `record` is submitted, it becomes submitted and running, with the priority of `record`.
  Result<Begun> begin_sweep(const SweepRecord& record, bool again = false);
  // Stores which columns of the sweep are its problem, as SweepRecord::problem, and commits. Columns for
  // which it is not known are not changed.
  Status set_problem(SweepId id, const std::vector<std::optional<bool>>& problem);
  // nullopt: there is none.
  Result<std::optional<StoredSweep>> sweep(SweepId id);
  // Submitted sweeps that are neither finished, cancelled nor superseded, sorted by id: a coordinator that
  // is restarted on this database continues them. The counts of jobs are not filled in.
  Result<std::vector<StoredSweep>> to_be_continued();
  // Finished, cancelled and superseded sweeps, sorted by id: workers may forget results of these.
  Result<std::vector<SweepId>> over();
  // Reads what earlier runs of the sweep have stored. Calls `each_run` for the jobs that need no further
  // attempt, as ranges of consecutive indices with one JobId::host, measured by one host. Calls
  // `each_spent` for attempts that do not count: with `outcome` true for an outcome that a later attempt
  // replaces (see above; at most one per job), with false for an attempt after which the job was retried.
  struct Earlier {
    std::uint64_t answered = 0;      // number of jobs that need no further attempt
    std::uint32_t next_attempt = 1;  // first attempt number for a new run: larger than any stored one
    std::vector<Origin> origins;     // of these jobs; only ids and counts (see describe_origins)
  };
  struct AnsweredRun {
    std::uint32_t host = 0;  // JobId::host
    HostId measured_on;
    std::uint64_t first = 0, last = 0;
  };
  using EachRun = std::function<void(const AnsweredRun& run)>;
  using EachSpent = std::function<void(const AttemptId& attempt, bool outcome)>;
  Result<Earlier> earlier(SweepId id, const EachRun& each_run, const EachSpent& each_spent);
  // The fingerprints of all hosts, in hexadecimal digits.
  Result<std::map<HostId, std::string>> fingerprints();
  // Adds the sweep's next decision, and commits.
  Status ask(SweepId id, const AskedRound& round);
  // The sweep's decisions, in their order.
  Result<std::vector<AskedRound>> asked(SweepId id);
  // Sets the state and commits. `ended_unix_s`: seconds since 1970-01-01 UTC; not stored for `running`.
  Status finish_sweep(SweepId id, SweepState state, double ended_unix_s);

  // Each finds the row of the same host, software or input, or adds it and commits, so that a returned id
  // is never rolled back.
  Result<HostId> add_host(const HostRecord& record);
  Result<SoftwareId> add_software(const SoftwareRecord& record);
  Status add_input(const InputRecord& record);

  // True if there is a sweep of this kernel (SweepRecord::kernel) other than `except`.
  Result<bool> has_other_sweeps(const std::string& kernel, SweepId except);

  // Adds an attempt to the current batch; it may be lost until commit() returns. Requires that the sweep is
  // in the database and that values.size() is its number of columns.
  Result<Recorded> record(const AttemptRecord& record);
  // Adds an outcome that refers to an earlier result. Error: that result is not an outcome with status ok.
  Result<Recorded> reuse(const ReuseRecord& record);
  // Adds an event to the current batch.
  Status note(const EventRecord& record);
  // Ends the batch. Does nothing if there is none.
  Status commit();

  // Sets how to wait while another program holds the write lock; empty: a call fails after 5 s. A batch
  // takes the lock with its first record, so a call that fails because of the lock has not rolled anything
  // back, and the same record may be passed again. (On a file system without support for the log, commit()
  // may also fail because of a lock; it then rolls back as after any error, and the batch may be passed
  // again.)
  void while_locked(WhileLocked decide);

  const std::string& path() const;
  // The largest session number in the events; 0: there was no session.
  Result<std::uint32_t> last_session();
  // The identity of the file: created with it and never changed; a copy of the file has the same one.
  Result<Digest> identity();

 private:
  struct State;
  static Result<Store> open_locked(const std::string& path, const Options& options, WriterLock lock);
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep
