// Ctrl-C and SIGTERM as something that a poll can wait for. One per process.
#pragma once

namespace kernsweep {

class StopSignal {
 public:
  // Installs the handlers for SIGINT and SIGTERM and ignores SIGPIPE.
  StopSignal();

  int descriptor() const;  // readable once a signal has come
  int count() const;       // signals so far: 1 asks for a clean stop, 2 for an end at once
  // Empties the descriptor, so that the next wait waits for the next signal.
  void acknowledge();
};

}  // namespace kernsweep
