#include "worker/slot/measure/rotation.hpp"

namespace kernsweep {

std::size_t copies_needed(std::uint64_t footprint, std::uint64_t llc_bytes) {
  if (footprint == 0 || llc_bytes == 0) return 0;
  const std::uint64_t others = (kCacheCover * llc_bytes + footprint - 1) / footprint;
  return others + 1 <= kCopiesMax ? static_cast<std::size_t>(others) + 1 : 0;
}

bool Rotation::make(const ks_variant& variant, const std::vector<std::vector<ks_tensor>>& copies,
                    const std::function<bool(const std::vector<ks_tensor>&, void*& state)>& prepare) {
  clear();
  variant_ = &variant;
  for (const std::vector<ks_tensor>& operands : copies) {
    void* state = nullptr;
    if (!prepare(operands, state)) {
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
}

}  // namespace kernsweep
