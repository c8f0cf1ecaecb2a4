// Waiting of a database call for a lock that another program has, for example a forgotten shell with an
// open transaction.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"

struct sqlite3;

namespace kernsweep {

// Called on the thread of the waiting call, at least every 100 ms, and only while it waits for a lock.
// `waited_s`: seconds since it began to wait, from 0. Return true to continue waiting; with false the call
// fails without any effect, and may be repeated.
using WhileLocked = std::function<bool(double waited_s)>;

// Other processes that have the database, its log (`-wal`) or the log's index (`-shm`) open, each as
// "python3 (pid 12)". One of them may hold the lock. Processes of other users and of other machines are
// usually not found.
std::vector<std::string> others_with_open(const std::string& database);

namespace sqlite {

// Waits for the locks of one connection; must outlive that connection.
class LockWait {
 public:
  // `limit_s`: how long a call waits, in seconds, if `decide` is empty.
  // A call does not wait where the file system itself refuses locks.
  LockWait(double limit_s, WhileLocked decide) : limit_s_(limit_s), decide_(std::move(decide)) {}
  LockWait(const LockWait&) = delete;
  LockWait& operator=(const LockWait&) = delete;

  void attach(sqlite3* connection);
  void ask(WhileLocked decide) { decide_ = std::move(decide); }

 private:
  static int on_busy(void* self, int times);
  bool goes_on(int times);

  double limit_s_;
  WhileLocked decide_;
  std::string database_;
  Instant since_{};
};

}  // namespace sqlite
}  // namespace kernsweep
