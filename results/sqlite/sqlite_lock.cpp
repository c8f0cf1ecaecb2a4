// Implements the waiting for locks with SQLite's busy handler.
#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "results/sqlite/file_system.hpp"
#include "results/sqlite/lock_wait.hpp"

namespace kernsweep::sqlite {

void LockWait::attach(sqlite3* connection) {
  const char* const path = sqlite3_db_filename(connection, "main");
  database_ = path ? path : "";
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
  // SQLite reports every refused lock as one of another program. Tried after 63 ms, and then every second.
  if (times % 20 == 6 && !flaw_of_file_system(database_).empty()) return false;
  // Begins with short sleeps (1 ms), because most locks are held only for one commit.
  std::this_thread::sleep_for(std::chrono::milliseconds(times < 6 ? 1 << times : 50));
  return true;
}

}  // namespace kernsweep::sqlite
