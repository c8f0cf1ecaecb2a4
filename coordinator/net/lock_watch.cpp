#include "coordinator/net/lock_watch.hpp"

namespace kernsweep::coordinator {

namespace {

// Commits and checkpoints of other programs take less time than this.
constexpr double kToldAfterS = 2;

std::string holders(const std::string& database) {
  std::string names;
  for (const std::string& each : others_with_open(database)) names += (names.empty() ? "" : ", ") + each;
  if (names.empty())
    return "no process that has it open can be seen from here: look for one of another user, or on another "
           "machine";
  return "it is open in " + names + ": end the transaction there, or the program";
}

}  // namespace

bool LockWatch::goes_on(double waited_s) {
  if (!may_wait_()) return false;
  if (waited_s < kToldAfterS || warned_) return true;
  warned_ = true;
  tell_(database_ + ": is locked by another program; what is to be stored waits, and nothing is lost. " +
        holders(database_));
  return true;
}

void LockWatch::done() {
  if (warned_) tell_(database_ + ": is free again, everything that waited is stored");
  warned_ = false;
}

}  // namespace kernsweep::coordinator
