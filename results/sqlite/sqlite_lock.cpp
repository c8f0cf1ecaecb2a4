// Implements the waiting for locks with SQLite's busy handler.
#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "results/sqlite/lock_wait.hpp"

namespace kernsweep::sqlite {

void LockWait::attach(sqlite3* connection) {
  sqlite3_busy_handler(connection, on_busy, this);
}

int LockWait::on_busy(void* self, int times) {
  return static_cast<LockWait*>(self)->goes_on(times) ? 1 : 0;
}

// `times`: how often this was called before for the same wait.
bool LockWait::goes_on(int times) {
  if (times == 0) since_ = monotonic_now();
  const double waited_s = seconds(monotonic_now() - since_);
  if (decide_ ? !decide_(waited_s) : waited_s >= limit_s_) return false;
  // Begins with short sleeps (1 ms), because most locks are held only for one commit.
  std::this_thread::sleep_for(std::chrono::milliseconds(times < 6 ? 1 << times : 50));
  return true;
}

}  // namespace kernsweep::sqlite
