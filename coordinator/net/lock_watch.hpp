// Reports that another program has locked the database, with candidates for it, and later that it is
// unlocked; each once.
#pragma once

#include <functional>
#include <string>

#include "results/sqlite/lock_wait.hpp"

namespace kernsweep::coordinator {

// Used only by the thread that calls the store.
class LockWatch {
 public:
  // `tell` is called with the text to report. `may_wait`: when it returns false, the store stops waiting
  // and its call fails.
  LockWatch(std::string database, std::function<void(std::string)> tell, std::function<bool()> may_wait)
      : database_(std::move(database)), tell_(std::move(tell)), may_wait_(std::move(may_wait)) {}

  // The callback for the store. The watch must outlive it.
  WhileLocked while_locked() {
    return [this](double waited_s) { return goes_on(waited_s); };
  }
  // Must be called after successful calls of the store that may have waited for a lock.
  void done();

 private:
  bool goes_on(double waited_s);

  const std::string database_;
  const std::function<void(std::string)> tell_;
  const std::function<bool()> may_wait_;
  bool warned_ = false;
};

}  // namespace kernsweep::coordinator
