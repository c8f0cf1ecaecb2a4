// The worker's spool: every outcome that the coordinator has not released, in memory and in a file, so that
// a worker that was killed and restarted can still deliver it.
//
// An outcome is sent at once and kept until the coordinator has released it. A worker also adopts the files
// of former workers on its host, and sends their outcomes.
//
// Possible losses. With `kill -9` of the worker: only outcomes of the current turn of its loop, which the
// writer's thread has not received. With a power cut: outcomes of the last half second that the coordinator
// has not stored. If the disk fails, a warning is logged and the file is retried every ten seconds; until
// then all outcomes are only in memory.
//
// Used by the thread of the worker's loop only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "worker/spool/spool_record.hpp"

namespace kernsweep {

class SpoolWriter;
struct Leftover;

struct SpoolPlace {
  std::string folder;    // empty: memory only
  std::string host;      // as in SpoolOwner
  std::string endpoint;  // as in SpoolOwner
  std::uint64_t bytes_max = std::uint64_t{64} << 20;
  std::uint64_t file_bytes_max = std::uint64_t{16} << 20;  // above, it is rewritten when mostly released
};

class Spool {
 public:
  // Adopts the outcomes and the instance of a former worker of this host with the same endpoint. If there
  // is none, the spool is empty and has a new instance.
  explicit Spool(SpoolPlace place);
  // An empty spool of the same instance, for a coordinator with another database. The file of this one, if
  // it is not empty, is kept for the next worker of its database.
  Spool follow();
  ~Spool();
  Spool(Spool&&) noexcept;
  Spool(const Spool&) = delete;

  const SpoolPlace& place() const { return place_; }
  const std::string& instance() const { return owner_.instance; }  // 16 bytes
  // Identity of the database that the attempts belong to; empty: not known, or not known yet.
  const std::string& database() const { return owner_.database; }
  // Sets the database, and adopts the outcomes that former workers of this host have left for it. To be
  // called once, before the first outcome. If `database` is empty there is no file, because the file would
  // not identify the database of its outcomes.
  void begin(const std::string& database);

  // Returns false if the software was known already.
  bool learn(const wire::Software& software);
  void keep(const AttemptId& attempt, wire::Outcome outcome);
  void release(const std::vector<AttemptId>& attempts);
  void release_sweeps(const std::set<SweepId>& sweeps);
  const wire::Outcome* find(const AttemptId& attempt) const;
  const Outcomes& outcomes() const { return outcomes_; }
  const Softwares& software() const { return software_; }

  bool empty() const { return outcomes_.empty(); }
  // True if so many outcomes wait for their release that no more jobs should be begun. Adopted outcomes do
  // not count, because their sweep may not be running.
  bool full() const { return bytes_ >= place_.bytes_max + adopted_bytes_; }
  bool on_disk() const { return writer_ && disk_ == Disk::writes; }

  // Must be called once per turn of the loop: gives new records to the writer.
  void tend(Instant now);

 private:
  enum class Disk {
    writes,
    rests,  // after a failure: nothing is written
    tries,  // the file is being rewritten
  };

  void take_over(std::vector<Leftover> leftovers, const std::string& path);
  void append(SpoolRecord kind, const std::string& payload);
  void rewrite();
  void watch_disk(Instant now);

  SpoolPlace place_;
  SpoolOwner owner_;
  Outcomes outcomes_;
  Softwares software_;
  std::uint64_t bytes_ = 0;          // bytes of all outcomes
  std::uint64_t adopted_bytes_ = 0;  // upper limit for the adopted part of `bytes_`

  std::unique_ptr<SpoolWriter> writer_;
  std::string gathered_;          // records for the writer
  std::uint64_t file_bytes_ = 0;  // size of the file after all posted records are written
  Disk disk_ = Disk::writes;
  bool unsynced_ = false;
  Instant try_again_at_{};
  Instant sync_at_{};
};

}  // namespace kernsweep
