// A file system under SQLite that loses power: of what was not synced, any part may be gone.
//
// It wraps SQLite's own, on real files, and keeps of each file what a disk would have: its content at the
// last sync, and the writes and changes of length since. When power is lost, the files become what was
// synced, with some of the later writes: each may be there, be missing, or be torn, so that any of its
// sectors of 512 bytes is old or new. Bytes that no write touched stay as they were, as SQLite expects of
// every disk of today. A file that was never synced may be missing, one whose removal was not synced may be
// back; a log or journal that is new takes its folder with it at its first sync. Nothing is really synced:
// that would take most of the time, and prove nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

struct sqlite3_vfs;

namespace kernsweep::test {

class PowerLossVfs {
 public:
  // Whether the disk really syncs.
  enum class Sync : std::uint8_t { honest = 1, ignored };

  // Is the file system of all databases that are opened while it lives. One at a time.
  PowerLossVfs(std::uint64_t seed, Sync sync);
  ~PowerLossVfs();
  PowerLossVfs(const PowerLossVfs&) = delete;
  PowerLossVfs& operator=(const PowerLossVfs&) = delete;

  // Power is lost with the `count`th operation from now on (a write, a sync, a change of length or a
  // removal); from then on all of these fail.
  void lose_after(std::uint64_t count) { left_ = count; }
  bool is_lost() const { return lost_; }
  // Loses power now, unless that has happened. Then the machine is on again: the files are what is left.
  // Requires that no database is open any more.
  void restart();

  std::uint64_t writes_dropped() const { return dropped_; }
  std::uint64_t writes_torn() const { return torn_; }

 private:
  friend struct PowerLossCalls;
  struct Change {
    std::uint64_t from = 0;
    std::string bytes;  // empty: a change of length to `from`
    bool of_length = false;
  };
  struct File {
    std::string synced;
    std::vector<Change> since;
    bool is_synced = false;  // its name, with its first sync or its folder's
    bool removed = false;    // and that may not be on the disk
  };

  bool goes_on();  // false: power is lost, or is lost by this operation
  void apply(std::string& content, const Change& change, double kept);
  std::string after_loss(const File& file);

  sqlite3_vfs* real_;
  std::unique_ptr<sqlite3_vfs> own_;
  std::map<std::string, File> files_;  // by path
  std::mt19937_64 random_;
  const Sync sync_;
  std::uint64_t left_ = ~std::uint64_t{0};
  std::uint64_t dropped_ = 0, torn_ = 0;
  bool lost_ = false;
};

}  // namespace kernsweep::test
