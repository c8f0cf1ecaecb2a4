#include "kernels/cpu/memory_bound/families.hpp"

namespace kernsweep::memory_bound {

void check_elements(std::initializer_list<std::int64_t> extents) {
  constexpr double kElementsMax = 0x1p40;
  double elements = 1;  // exact up to the limit, and never overflows
  for (const std::int64_t extent : extents) elements *= static_cast<double>(extent);
  if (elements > kElementsMax)
    throw pack::Refused(KS_BAD_PARAMETER, "an array would have more than 2^40 elements; take less");
}

}  // namespace kernsweep::memory_bound

KERNSWEEP_PACK("memory_bound", KERNSWEEP_PACK_VERSION, kernsweep::memory_bound::softmax_family(),
               kernsweep::memory_bound::layernorm_family(), kernsweep::memory_bound::elementwise_family(),
               kernsweep::memory_bound::reduction_family(), kernsweep::memory_bound::transpose_family(),
               kernsweep::memory_bound::gather_family())
