// The one writer of a results database.
//
// Only one process can have a database open for writing; readers (results/read/reader.hpp) may open it at
// any time and see whole batches only.
//
// Promises:
//   - what commit() has confirmed survives kill -9 of this process and loss of power (docs/decisions/0002);
//   - a batch is stored whole or not at all: after any error everything since the last commit() is rolled
//   back, the
//     store stays usable, and the caller may offer the same records again;
//   - a job has one outcome: an attempt for a job that has one is answered `already_answered` and not
//   stored.
//     Outcomes of jobs that were not tried to the end (cancelled, skipped, unplaceable, worker_lost) are
//     replaced by a later attempt;
//   - nothing is written when a file is refused.
//
// Layout, chosen for one B-tree insertion for each of the two halves of a row: see
// results/sqlite/schema.hpp. Events are rows like others: they join the batch, and go with it. Not
// thread-safe: one thread (the store thread) calls it, any one thread may. Movable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/sqlite/lock_wait.hpp"
#include "results/store/earlier_results.hpp"
#include "results/store/events.hpp"
#include "results/store/records.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// What the operating system must have done before commit() returns.
enum class Durability : std::uint8_t {
  power_loss = 1,  // on the disk: survives loss of power (default)
  process_crash,   // handed to the kernel: survives kill -9, not loss of power
};

enum class Recorded : std::uint8_t { stored = 1, already_answered };

class Store {
 public:
  struct Options {
    Durability durability = Durability::power_loss;
    WhileLocked while_locked = {};  // as below
  };

  // Opens the database at `path`, or creates it (its folder must exist), or migrates one of an older
  // version. Refused, with a message for the user: a folder, a file that is no Kernsweep database, a newer
  // version, a file or folder that cannot be written, a database in use by another coordinator (its pid is
  // told).
  static Result<Store> open_for_writing(const std::string& path, const Options& options);
  static Result<Store> open_for_writing(const std::string& path) {
    return open_for_writing(path, Options{});
  }

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();  // rolls back what is not committed, frees the lock

  struct Begun {
    SweepId id;
    bool existed = false;   // the same identity was there: a rerun or a resume
    bool finished = false;  // every job had its outcome when it last ended
  };
  // Finds the newest sweep of the same identity, or adds it with its view. `again`: always adds. Committed
  // at once. One that existed stays as it is; when `record` is submitted it becomes so, with the priority
  // of `record`.
  Result<Begun> begin_sweep(const SweepRecord& record, bool again = false);
  // Of all sweeps of that name.
  Result<std::vector<Digest>> identities_of(const std::string& name);
  // The newest sweep, of this name when it is not empty.
  Result<std::optional<StoredSweep>> latest_sweep(const std::string& name = {});
  Result<std::optional<StoredSweep>> sweep(SweepId id);
  // Submitted sweeps that are neither finished, cancelled nor superseded, by number: what a coordinator
  // that is started again on this database takes up. Without the counts of jobs.
  Result<std::vector<StoredSweep>> to_be_continued();
  // Those that are finished, cancelled or superseded, by number: workers may forget what they still have of
  // them.
  Result<std::vector<SweepId>> over();
  // What an earlier run of the sweep has left. `each_run` is told the jobs that need no further attempt, as
  // runs of consecutive indices of one JobId::host that one host has measured; outcomes that give way (see
  // above) are not among them. `each_spent` is told those that gave way (`outcome`), at most one of a job,
  // and all attempts that were lost or retried. One pass over the sweep, nothing is kept.
  struct Earlier {
    std::uint64_t answered = 0;
    std::uint32_t next_attempt = 1;  // larger than any attempt stored: where a new run begins to count
    std::vector<Origin> origins;     // of `answered`, by their numbers alone (see describe_origins)
  };
  struct AnsweredRun {
    std::uint32_t host = 0;  // JobId::host
    HostId measured_on;
    std::uint64_t first = 0, last = 0;
  };
  using EachRun = std::function<void(const AnsweredRun& run)>;
  using EachSpent = std::function<void(const AttemptId& attempt, bool outcome)>;
  Result<Earlier> earlier(SweepId id, const EachRun& each_run, const EachSpent& each_spent);
  // Of all hosts: in hexadecimal digits.
  Result<std::map<HostId, std::string>> fingerprints();
  // Committed at once. `ended_unix_s`: time of day.
  Status finish_sweep(SweepId id, SweepState state, double ended_unix_s);

  // Each finds the record of the same identity, or adds it and ends the running batch, so that a number
  // that was given out is never rolled back. What an older worker did not tell of a host or an input is
  // added to its row when it is told.
  Result<HostId> add_host(const HostRecord& record);
  Result<SoftwareId> add_software(const SoftwareRecord& record);
  Status add_input(const InputRecord& record);

  // Whether there are other sweeps of this kernel (SweepRecord::kernel).
  Result<bool> has_other_sweeps(const std::string& kernel, SweepId except);

  // Adds to the running batch; nothing is safe before commit(). The sweep must have come from begin_sweep
  // of this store or be in the database; values.size() must be its number of columns.
  Result<Recorded> record(const AttemptRecord& record);
  // The job's outcome is that of an earlier result. Unknown result: an error.
  Result<Recorded> reuse(const ReuseRecord& record);
  Status note(const EventRecord& record);
  // Ends the batch. Cheap when nothing was recorded.
  Status commit();

  // How to wait while another program holds the lock for writing; none: a call fails after 5 s. A batch
  // takes the lock with its first record, so that a call that fails for a lock has rolled nothing back:
  // the same record may be offered again. (Where a file system has no log, commit() may meet a lock too; it
  // then rolls back as after any error, and the batch may be offered again.)
  void while_locked(WhileLocked asked);

  const std::string& path() const;
  // Made with the file and never changed. A copy of the file has the same.
  // The largest number that a worker's session has had; 0: there was none.
  Result<std::uint32_t> last_session();
  Result<Digest> identity();

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep
