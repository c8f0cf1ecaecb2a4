// Writes the spool's file beside the worker's loop, on a thread of its own: a disk that is slow or stuck
// delays no heartbeat and no lease.
//
// The loop posts and goes on. After a failure everything is dropped until the next rewrite(), because what
// follows a gap would be at the wrong place. Called from one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "worker/spool/spool_folder.hpp"

namespace kernsweep {

class SpoolWriter {
 public:
  // Nothing is written before the first rewrite(), which makes the file.
  explicit SpoolWriter(std::string path);
  // Goes on with a file of `bytes` bytes.
  SpoolWriter(SpoolFile file, std::uint64_t bytes);
  // Waits for what was posted, for two seconds at most.
  ~SpoolWriter();
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;

  void append(std::string bytes);
  void rewrite(std::string whole);
  void sync();    // what was appended shall be on the disk soon
  void remove();  // the file, when nobody needs it any more

  // Posted and not yet written; 0 also after a failure.
  std::uint64_t waiting_bytes() const;
  // Why the last write failed; told once.
  std::optional<std::string> take_failure();

 private:
  struct State;
  std::shared_ptr<State> state_;  // the thread's too: a disk that is stuck must not keep us from ending
};

}  // namespace kernsweep
