// The requests of a slot to its worker during a job. slot.cpp implements them with a socket, tests without
// one.
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
  // Waits until the operands are made. Error: the worker has ended.
  virtual Result<wire::TensorReplies> obtain(const wire::TensorRequests& wanted) = 0;
  // Passes a reference output to the host's store, for later jobs.
  virtual void offer(const wire::ReferenceOffer& offered) = 0;
  // Waits until this slot may measure. `whole_host`: returns the current lease and waits until no other
  // slot of the worker works on the host, to measure once more. Error: the worker has ended.
  virtual Status lease(bool whole_host) = 0;
  // Returns a lease that it had to wait for, because the remaining steps are not timed.
  virtual void return_lease() {}
  // Identity of the software that this process has loaded so far and of `sources`, the files that the
  // current job has run and read (wire::Software); sends its description to the worker. Empty: not known.
  // `process`: as in SoftwareWatch::look.
  virtual std::string software(const std::string& sources, int process = 0) {
    (void)sources;
    (void)process;
    return "";
  }
  // Write to the phase board that a new job, or its timed part, has begun.
  virtual void show_job_begun(Instant now) = 0;
  virtual void show_measuring(Instant now) = 0;

  // Hashes of files that this process has read, and that earlier slots of this host have.
  FileHashes& file_hashes() { return file_hashes_; }

 private:
  FileHashes file_hashes_;
};

}  // namespace kernsweep
