#include "tensors/parallel_for.hpp"

#include <system_error>
#include <thread>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

void in_parts(std::uint64_t parts, const std::function<void(std::uint64_t part)>& work) {
  KS_ASSERT(parts >= 1);
  std::vector<std::jthread> others;
  for (std::uint64_t part = 1; part < parts; ++part) {
    try {
      others.emplace_back(work, part);
    } catch (const std::system_error&) {
      work(part);
    }
  }
  work(0);
}

}  // namespace kernsweep
