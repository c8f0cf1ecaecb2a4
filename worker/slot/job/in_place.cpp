#include "worker/slot/job/in_place.hpp"

#include <algorithm>
#include <cstring>

#include "shared/base/dtype.hpp"
#include "shared/text/suggest.hpp"
#include "worker/slot/verify/output.hpp"

namespace kernsweep {

std::optional<InPlace::Failure> InPlace::place(const std::vector<std::string>& names,
                                               const std::vector<std::string>& operands,
                                               GuardedMemory& memory, std::vector<ks_tensor>& tensors) {
  all_.clear();
  for (const std::string& name : names) {
    const auto found = std::ranges::find(operands, name);
    if (found == operands.end())
      return Failure{Outcome::failed_setup, "the family says that the operand '" + name +
                                                "' is overwritten (in_place), and asks for none of that "
                                                "name" +
                                                did_you_mean(name, operands) + "; fix the pack"};
    const auto number = static_cast<std::size_t>(found - operands.begin());
    if (number >= tensors.size()) continue;  // a point without operands
    ks_tensor& tensor = tensors[number];
    const auto count = element_count(tensor);
    if (!count) return Failure{Outcome::failed_setup, count.error().message};
    const std::size_t bytes = *count * size_of(static_cast<Dtype>(tensor.dtype));
    void* const own = memory.allocate(bytes);
    if (!own)
      return Failure{Outcome::out_of_memory, "there is no memory for a copy of the operand '" + name +
                                                 "', which calls overwrite: " + std::to_string(bytes) +
                                                 " bytes"};
    all_.push_back({tensor.data, own, bytes});
    tensor.data = own;
  }
  return std::nullopt;
}

void InPlace::restore() const {
  for (const Copy& each : all_)
    if (each.bytes > 0) std::memcpy(each.to, each.from, each.bytes);
}

}  // namespace kernsweep
