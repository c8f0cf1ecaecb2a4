// The variant `onednn` of a family: one pass of the library over arrays in the caller's layout.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/libraries/dnnl.hpp"

namespace kernsweep::memory_bound {

// A dense operand of these extents; `data` of inputs only.
DnnlOperand dense_operand(ks_dtype dtype, const std::vector<std::int64_t>& shape,
                          const void* data = nullptr);

class OnednnPass {
 public:
  // Refused: the library has no implementation of it. An empty result needs none.
  static void require(const DnnlPass& pass);

  OnednnPass(const DnnlPass& pass, pack::Setup& setup);
  void run();
  // The result as an array of `shape`, of as many elements as it has.
  ks_tensor output(const std::vector<std::int64_t>& shape) const;
  std::string runtime() const;

 private:
  ks_dtype dtype_;
  std::unique_ptr<DnnlOperation> operation_;  // null: nothing to compute
};

}  // namespace kernsweep::memory_bound
