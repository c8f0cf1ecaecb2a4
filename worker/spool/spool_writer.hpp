// Writes the spool's file in a thread of its own, so that a slow or stuck disk does not delay heartbeats
// and leases.
//
// No function waits for the disk. After a failure everything is dropped until the next rewrite(), because
// records after a gap would be at the wrong place. To be called from one thread.
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
  // Appends to a file of `bytes` bytes.
  SpoolWriter(SpoolFile file, std::uint64_t bytes);
  // Waits for what was posted, for two seconds at most.
  ~SpoolWriter();
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;

  void append(std::string bytes);
  void rewrite(std::string whole);
  void sync();    // posts an fsync after what was appended
  void remove();  // removes the file

  // Bytes that were posted and are not yet written; 0 after a failure.
  std::uint64_t waiting_bytes() const;
  // Why the last write failed; returned once.
  std::optional<std::string> take_failure();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive us if the disk is stuck
};

}  // namespace kernsweep
