// Ctrl-C, SIGTERM and SIGHUP as something that a poll can wait for. One per process.
//
// SIGHUP is sent when the terminal is closed, for example when an ssh connection breaks. It then arrives
// twice, from the shell and from the system, and counts only once. A process that was started with SIGHUP
// ignored, as by nohup, ignores it.
#pragma once

#include "shared/base/result.hpp"

namespace kernsweep {

class StopSignal {
 public:
  // Must be called before the first object is made. Error: the system returns no descriptor; the message
  // has the reason and what to do.
  static Status prepare();
  // Installs the handlers and ignores SIGPIPE.
  StopSignal();

  int descriptor() const;  // readable after a signal
  int count() const;       // signals so far: 1 requests a clean stop, 2 an immediate end
  // Empties the descriptor, so that the next poll waits for the next signal.
  void acknowledge();
};

}  // namespace kernsweep
