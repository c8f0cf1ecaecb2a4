// What a slot asks of its worker while it works on a job. The real one speaks over a socket (slot.cpp),
// tests answer themselves.
#pragma once

#include <string>

#include "shared/base/file_content.hpp"
#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

namespace wire {
class ReferenceOffer;
class TensorReplies;
class TensorRequests;
}  // namespace wire

class WorkerPort {
 public:
  virtual ~WorkerPort() = default;
  // Waits until the operands are made. Error: the worker is gone.
  virtual Result<wire::TensorReplies> obtain(const wire::TensorRequests& wanted) = 0;
  // Gives a reference output to the host's store, for later jobs.
  virtual void offer(const wire::ReferenceOffer& offered) = 0;
  // Waits until this slot may measure. `whole_host`: it has measured, gives its lease back and measures
  // once more when nothing else of ours works on the host. Error: the worker is gone.
  virtual Status lease(bool whole_host) = 0;
  // Identity of what this process has loaded by now and of `sources`, which the job at hand has run and
  // read (wire::Software); the worker is told the rest. Empty: not known.
  virtual std::string software(const std::string& sources) {
    (void)sources;
    return "";
  }
  // Shows where the slot is, for the worker to look at: a new job has begun, its timed part has begun.
  virtual void show_job_begun(Instant now) = 0;
  virtual void show_measuring(Instant now) = 0;

  // What this process has read, and what earlier ones of this host have: one for all that read files here.
  FileHashes& file_hashes() { return file_hashes_; }

 private:
  FileHashes file_hashes_;
};

}  // namespace kernsweep
