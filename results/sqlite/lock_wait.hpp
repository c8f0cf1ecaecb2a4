// How a call on a database waits while another program holds the lock that it needs, for example a
// forgotten shell with an open transaction.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"

struct sqlite3;

namespace kernsweep {

// Called in the thread of the waiting call, at least every 100 ms, and only while it waits for a lock.
// `waited_s`: how long it has waited so far, from 0. True: the call goes on waiting. False: it fails
// without any effect, and may be repeated.
using WhileLocked = std::function<bool(double waited_s)>;

// Other processes that have the database, its log or its index of the log open, each as "python3 (pid 12)".
// One of them may hold the lock. Only those that this process may look at are seen: not those of other
// users, nor those of other machines.
std::vector<std::string> others_with_open(const std::string& database);

namespace sqlite {

// The waiting of one connection, which it must outlive.
class LockWait {
 public:
  // `limit_s`: for how long a call waits where nobody is asked.
  LockWait(double limit_s, WhileLocked asked) : limit_s_(limit_s), asked_(std::move(asked)) {}
  LockWait(const LockWait&) = delete;
  LockWait& operator=(const LockWait&) = delete;

  void attach(sqlite3* connection);
  void ask(WhileLocked asked) { asked_ = std::move(asked); }

 private:
  static int on_busy(void* self, int times);
  bool goes_on(int times);

  double limit_s_;
  WhileLocked asked_;
  Instant since_{};
};

}  // namespace sqlite
}  // namespace kernsweep
