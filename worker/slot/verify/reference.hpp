// The reference output: the output of the family's reference variant for the same operands. The output of a
// job is compared with it.
//
// It is computed once per host and shared like an operand, in its own type: the slot that computes it
// offers it to the worker, sealed. A slot keeps the mapping of the last one. The worker computes its
// identity, because that depends on the content of the operands (reference_identity in tensor_answers.hpp).
#pragma once

#include <cstddef>
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
#include "worker/slot/verify/reference_output.hpp"
#include "worker/slot/worker_port.hpp"

namespace kernsweep {

// What a function that is a reference depends on, for all jobs that agree in it.
struct SharedReference {
  wire::TensorRequests requests;  // reference, reference_values
  std::vector<Digest> operands;
  std::optional<wire::ReferenceUse> use;  // what is known of it

  void note(const wire::TensorReplies& replies);
  // The identity of its output for the worker, once it has said which parameters it reads.
  Digest identity_with(const std::vector<std::string>& reads);
};

class Reference {
 public:
  // Identity of the computation without its operands: the pack's content, the variant, its parameters, the
  // seed.
  static Digest computation(const Digest& pack, const ks_family& family, const ks_variant& variant,
                            const std::string& params, std::uint64_t seed);

  const std::optional<Digest>& identity() const { return identity_; }  // of the current output
  bool holds(const Digest& identity) const { return identity_ == identity; }
  // Maps the output that the worker has. Error: it cannot be mapped, or its place now has another buffer.
  Status adopt(const Digest& identity, const wire::TensorPlace& place);
  // An output that was obtained elsewhere.
  void hold(const Digest& identity, ReferenceOutput output);
  void forget();
  struct Failure {
    Outcome outcome = Outcome::failed_setup;  // or out_of_memory
    std::string reason;
  };
  // Computes it here, on as many threads as the job has, and offers it. Returns why the reference variant
  // failed; nothing if it did not.
  std::optional<Failure> compute(const Digest& identity, const ks_variant& variant, const ks_params& params,
                                 const std::vector<ks_tensor>& operands, std::uint32_t threads,
                                 std::uint64_t seed, WorkerPort& port);

  const ReferenceOutput& output() const { return output_; }
  // Offers the output of another process to the worker. `of`: null if it is not a function's.
  void share(WorkerPort& port, const SharedReference* of = nullptr);

 private:
  Status map(const Digest& identity, TensorMapping mapping);
  bool keep(const Digest& identity, ReferenceOutput output, WorkerPort& port);
  bool offer(const Digest& identity, const ReferenceOutput& output, WorkerPort& port,
             const SharedReference* of = nullptr);

  std::optional<Digest> identity_;
  ReferenceOutput output_;
  std::optional<SealedBuffer> offered_;  // alive until the worker has its own descriptor
};

}  // namespace kernsweep
