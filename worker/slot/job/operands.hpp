// The operands of a job: requests them from the worker, maps them, and describes them to the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/result.hpp"
#include "shared/wire/slot.pb.h"
#include "tensors/mapping.hpp"

namespace kernsweep {

class Operands {
 public:
  // Gets the inputs from the family and writes the request for the worker. The seed of an operand follows
  // from `sweep_seed` and its name, so that points of equal shape share it. `choices`: the values of
  // input.<name> in the sweep file; see docs/internals/tensors.md.
  Status request(const ks_family& family, const ks_params& params, std::uint64_t sweep_seed,
                 const std::vector<std::pair<std::string, std::string>>& choices,
                 wire::TensorRequests& out);

  // The same for operands that the sweep describes.
  Status request_described(const std::vector<ks_input>& inputs, std::uint64_t sweep_seed,
                           const std::vector<std::pair<std::string, std::string>>& choices,
                           wire::TensorRequests& out);
  // The same for operands that the caller got from the family; they are not mapped.
  static Status request(const std::vector<ks_input>& inputs, std::uint64_t sweep_seed,
                        const std::vector<std::pair<std::string, std::string>>& choices,
                        wire::TensorRequests& out);

  // Size in bytes of all requested tensors, each counted once; 0: not known.
  std::uint64_t footprint(const wire::TensorRequests& requests) const;
  // Requests `more` copies of each operand that is not empty.
  void request_copies(std::size_t more, wire::TensorRequests& requests) const;

  // Maps the tensors that the worker has made, with their copies. Mappings of the previous job are kept if
  // they are the same. If copies are missing or cannot be mapped, copies() is empty; that is not an error.
  Status map(const wire::TensorRequests& requests, const wire::TensorReplies& replies);

  const std::vector<ks_tensor>& tensors() const { return tensors_; }
  std::vector<std::string> names() const;  // of tensors()
  // For each copy, all operands in the form of tensors(), on pages that no other copy has.
  const std::vector<std::vector<ks_tensor>>& copies() const { return copies_; }

 private:
  struct Mapped {
    std::string identity;  // identity of the tensor; its path may belong to another one by now
    int copy;              // 0: the tensor itself
    TensorMapping mapping;
  };
  Result<const void*> map_one(const wire::TensorPlace& place, int copy, std::vector<Mapped>& kept);
  Status map_copies(const wire::TensorRequests& requests, const wire::TensorReplies& replies,
                    std::vector<Mapped>& kept);
  std::vector<ks_input> inputs_;
  std::vector<Mapped> mapped_;
  std::vector<ks_tensor> tensors_;
  std::vector<std::vector<ks_tensor>> copies_;
};

// A dense row-major tensor. Requires at most KS_RANK_MAX extents.
ks_tensor dense_tensor(const void* data, ks_dtype dtype, const std::vector<std::int64_t>& shape);

// Whether the operands of both lists have the same names, types and shapes. False for an invalid rank.
bool same_operands(const std::vector<ks_input>& a, const std::vector<ks_input>& b);

// Replaces the distribution of the family: "uniform(-1, 1)", "normal(0, 0.02) density 0.1", "kaiming",
// "integers(-8, 8)", "file.npy", "weights.safetensors:name". Error: another form.
Status choose_distribution(const std::string& text, wire::TensorSpec& spec);

}  // namespace kernsweep
