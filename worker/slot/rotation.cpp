#include "worker/slot/rotation.hpp"

#include <cstring>

#include "shared/tensors/dtype.hpp"

namespace kernsweep {

std::size_t copies_needed(std::uint64_t footprint, std::uint64_t llc_bytes) {
  if (footprint == 0 || llc_bytes == 0) return 0;
  const std::uint64_t others = (kCacheCover * llc_bytes + footprint - 1) / footprint;
  return others + 1 <= kCopiesMax ? static_cast<std::size_t>(others) + 1 : 0;
}

std::uint64_t operand_bytes(const ks_tensor& operand) {
  std::uint64_t last = 0;
  for (std::int32_t d = 0; d < operand.rank; ++d) {
    if (operand.shape[d] <= 0 || operand.strides[d] < 0) return 0;
    last +=
        static_cast<std::uint64_t>(operand.shape[d] - 1) * static_cast<std::uint64_t>(operand.strides[d]);
  }
  return (last + 1) * size_of(static_cast<Dtype>(operand.dtype));
}

bool Rotation::make(const ks_variant& variant, const std::vector<ks_tensor>& operands, std::size_t more,
                    const std::function<bool(const std::vector<ks_tensor>&, void*& state)>& prepare) {
  clear();
  variant_ = &variant;
  for (std::size_t copy = 0; copy < more; ++copy) {
    std::vector<ks_tensor> copied = operands;
    for (ks_tensor& operand : copied) {
      const std::uint64_t bytes = operand_bytes(operand);
      if (bytes == 0) continue;
      void* const memory = memory_.allocate(bytes);
      if (!memory) {
        clear();
        return false;
      }
      std::memcpy(memory, operand.data, bytes);
      operand.data = memory;
    }
    void* state = nullptr;
    if (!prepare(copied, state)) {
      clear();
      return false;
    }
    states_.push_back(state);
    if (variant.run(state) != KS_OK) {
      clear();
      return false;
    }
  }
  return true;
}

void Rotation::clear() {
  for (void* const state : states_) variant_->release(state);
  states_.clear();
  memory_.clear();
}

}  // namespace kernsweep
