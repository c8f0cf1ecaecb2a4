// A worker in the test's own process: makes operands in an arena, keeps references, gives the lease, and
// can fail at each of these on request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/wire/slot.pb.h"
#include "tensors/arena.hpp"
#include "tensors/tensor_answers.hpp"
#include "worker/slot/worker_port.hpp"

namespace kernsweep::testing_slot {

// A reference of one dimension, as slots share it.
SealedBuffer sealed(const std::vector<double>& values);

class FakeWorker : public WorkerPort {
 public:
  Result<wire::TensorReplies> obtain(const wire::TensorRequests& wanted) override;
  void offer(const wire::ReferenceOffer& offered) override;
  Status lease(bool whole_host) override;
  void return_lease() override { ++leases_returned; }
  std::string software(const std::string& told, int) override {
    sources = told;
    return "identity";
  }
  void show_job_begun(Instant) override { shown += "job "; }
  void show_measuring(Instant) override { shown += "measuring "; }

  // Keeps `values` as the reference output that the next request will ask for.
  void know_reference(std::vector<double> values) { known_ = std::move(values); }

  // What was seen.
  int requests = 0, leases = 0, whole_host_leases = 0, leases_returned = 0;
  std::string shown;                           // "job measuring job "
  std::vector<std::string> wanted_references;  // identities
  std::vector<std::string> offers;             // identities
  std::vector<double> offered;                 // values of the last
  std::string sources;                         // of the last job
  std::vector<std::uint32_t> copies_wanted;    // of each operand that was asked for

  // What to answer.
  bool gone = false, keeps_lease = false, keeps_whole_host = false;
  std::string tensor_error;
  bool out_of_memory = false;
  bool keep_offers = true;
  bool keeps_copies = false;
  // The current content of the place of a reference that was passed on.
  std::optional<SealedBuffer> reference_now;

  std::size_t tensors_held() const { return arena_.tensors_held(); }

 private:
  TensorArena arena_{std::uint64_t{64} << 20, 1};
  ReferenceUses uses_;
  TensorPins pins_;
  std::vector<double> known_;
};

}  // namespace kernsweep::testing_slot
