// The members of a job in addition to JobRunner::Attempt if its kernel is distrusted. Private to job*.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/slot/isolated/distrusted_calls.hpp"
#include "worker/slot/isolated/isolated_pack.hpp"
#include "worker/slot/job/job.hpp"

namespace kernsweep {

struct JobRunner::Distrusted {
  DistrustedCalls calls;
  PointFacts facts;
  PeakMemory peak;
  // If the reference is a variant: its pack, which this job has loaded only in this process.
  IsolatedKernel reference;
  std::unique_ptr<IsolatedPack> reference_pack;
  const ks_variant* reference_variant = nullptr;
  std::optional<Binding> reference_binding;
  std::vector<Operand> reference_inputs;
  FreshOperands reference_operands;
  std::vector<SealedBuffer> sealed;  // of a reference outside
  std::string reference_file;        // of a variant
  std::string reference_shape;       // of its last output
  std::size_t compared = 0;          // number of outputs
};

}  // namespace kernsweep
