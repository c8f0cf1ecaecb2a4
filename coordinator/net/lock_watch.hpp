// Says once that another program holds the database, and who that may be, and once that it is free again.
#pragma once

#include <functional>
#include <string>

#include "results/sqlite/lock_wait.hpp"

namespace kernsweep::coordinator {

// Used by one thread: that which calls the store.
class LockWatch {
 public:
  // `tell` is given what is to be said; `may_wait`: false ends the waiting, and the call fails. Both must
  // outlive the watch.
  LockWatch(std::string database, std::function<void(std::string)> tell, std::function<bool()> may_wait)
      : database_(std::move(database)), tell_(std::move(tell)), may_wait_(std::move(may_wait)) {}

  // For the store. The watch must outlive the calls that ask it.
  WhileLocked asked() {
    return [this](double waited_s) { return goes_on(waited_s); };
  }
  // The calls that may have waited have done what they were to do.
  void done();

 private:
  bool goes_on(double waited_s);

  const std::string database_;
  const std::function<void(std::string)> tell_;
  const std::function<bool()> may_wait_;
  bool told_ = false;
};

}  // namespace kernsweep::coordinator
