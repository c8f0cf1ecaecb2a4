// The worker's spool: every outcome that the coordinator has not released, in memory, and in a file of this
// worker, so that a worker that was killed and is started again delivers what was measured.
//
// An outcome is sent at once and kept until the coordinator has released it. A worker that finds the file
// of one that is gone on its host sends what is in it, too.
//
// What may be lost: by `kill -9` of the worker nothing but what the writer's thread has not taken over yet
// (it follows within a turn of the loop); by a power cut what was measured in the last half second and not
// yet stored by the coordinator. Whatever fails with the disk costs a warning, and the file is tried again
// every ten seconds; memory holds everything meanwhile.
//
// Belongs to the worker's loop.
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
  std::uint64_t file_bytes_max = std::uint64_t{16}
                                 << 20;  // above, it is written anew when it is mostly over
};

class Spool {
 public:
  // Takes over what a worker of this host has left that spoke to the same endpoint, and its instance with
  // it; where there is nothing, empty and of a new instance.
  explicit Spool(SpoolPlace place);
  // For a coordinator with another database: empty, of the same instance. This one's file, if it is not
  // empty, is left to whoever works for its database again.
  Spool follow();
  ~Spool();
  Spool(Spool&&) noexcept;
  Spool(const Spool&) = delete;

  const SpoolPlace& place() const { return place_; }
  const std::string& instance() const { return owner_.instance; }  // 16 bytes
  // Whose attempts these are; empty: no coordinator has told yet, or it does not know.
  const std::string& database() const { return owner_.database; }
  // From now on outcomes of this database are kept, together with what other workers of this host have left
  // for it. Once, before the first; with an empty one there is no file, because nobody could tell later
  // whose outcomes it holds.
  void begin(const std::string& database);

  // False: known already.
  bool learn(const wire::Software& software);
  void keep(const AttemptId& attempt, wire::Outcome outcome);
  void release(const std::vector<AttemptId>& attempts);
  void release_sweeps(const std::set<SweepId>& sweeps);
  const wire::Outcome* find(const AttemptId& attempt) const;
  const Outcomes& outcomes() const { return outcomes_; }
  const Softwares& software() const { return software_; }

  bool empty() const { return outcomes_.empty(); }
  // The coordinator takes so little that no job should be begun until it has taken more. What was taken
  // over does not count: its sweep may be one that waits to be resumed.
  bool full() const { return bytes_ >= place_.bytes_max + adopted_bytes_; }
  bool on_disk() const { return writer_ && disk_ == Disk::writes; }

  // Once per turn of the loop: hands what has gathered to the writer.
  void tend(Instant now);

 private:
  enum class Disk {
    writes,
    rests,  // the file is behind, and nothing is written
    tries,  // it is being written anew
  };

  void take_over(std::vector<Leftover> leftovers, const std::string& path);
  void append(SpoolRecord kind, const std::string& payload);
  void rewrite();
  void watch_disk(Instant now);

  SpoolPlace place_;
  SpoolOwner owner_;
  Outcomes outcomes_;
  Softwares software_;
  std::uint64_t bytes_ = 0;          // of the outcomes
  std::uint64_t adopted_bytes_ = 0;  // at most, of those that were taken over

  std::unique_ptr<SpoolWriter> writer_;
  std::string gathered_;          // records for the writer
  std::uint64_t file_bytes_ = 0;  // when all that was posted is written, without `gathered_`
  Disk disk_ = Disk::writes;
  bool unsynced_ = false;
  Instant try_again_at_{};
  Instant sync_at_{};
};

}  // namespace kernsweep
