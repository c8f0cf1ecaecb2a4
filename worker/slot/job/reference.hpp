// The output that a job's own output is held against: that of the family's reference variant on the same
// operands.
//
// It is computed once per host and shared like an operand: the slot that computes it offers it to the
// worker's store, sealed. The last one stays with the slot. Its identity is the worker's to say, because
// that goes by what the operands hold (reference_identity in tensor_answers.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/digest.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/result.hpp"
#include "shared/wire/slot.pb.h"
#include "tensors/mapping.hpp"
#include "worker/slot/worker_port.hpp"

namespace kernsweep {

class Reference {
 public:
  // What it is computed by, whatever the operands: the pack's content, the variant, its parameters, the
  // seed.
  static Digest computation(const Digest& pack, const ks_family& family, const ks_variant& variant,
                            const std::string& params, std::uint64_t seed);

  const std::optional<Digest>& identity() const { return identity_; }  // of what is held
  bool holds(const Digest& identity) const { return identity_ == identity; }
  // Takes over what the worker has. Error: it cannot be mapped, or it is another buffer by now.
  Status adopt(const Digest& identity, const wire::TensorPlace& place);
  struct Failure {
    Outcome outcome = Outcome::failed_setup;  // or out_of_memory
    std::string reason;
  };
  // Computes it here, on as many threads as the job has, and offers it. What it returns is why the
  // reference variant failed.
  std::optional<Failure> compute(const Digest& identity, const ks_variant& variant, const ks_params& params,
                                 const std::vector<ks_tensor>& operands, std::uint32_t threads,
                                 std::uint64_t seed, WorkerPort& port);

  const std::vector<double>& values() const { return values_; }

 private:
  void share(WorkerPort& port);

  std::optional<Digest> identity_;
  std::vector<double> values_;
  std::optional<SealedBuffer> offered_;  // alive until the worker has its own descriptor
};

}  // namespace kernsweep
