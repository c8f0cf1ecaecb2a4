#include "kernels/cuda/memory/memory.hpp"
#include "kernels/cuda/memory/memory_kernels.hpp"

namespace kernsweep::cuda {
namespace {

// The reference: the sum by its formula.
class MemoryNaive {
 public:
  MemoryNaive(const WorkingSet& set, pack::Setup& setup)
      : words_(set.words()), sum_(setup.output<std::int64_t>({1})) {}
  void run() { sum_[0] = static_cast<std::int64_t>(sum_of_words(words_)); }

 private:
  std::int64_t words_;
  std::span<std::int64_t> sum_;
};

}  // namespace

std::vector<pack::Param<WorkingSet>> WorkingSet::params() {
  return {pack::param<&WorkingSet::bytes>(
      {.name = "bytes",
       .summary = "bytes of device memory that a run allocates, writes once and reads once",
       .fallback = "1073741824",
       .least = 8,
       .most = 0x1p50})};
}

pack::Family memory_family() {
  return pack::family<WorkingSet>(
      "memory", "a working set in a GPU's memory, and whether it fits", {.reference = "naive"},
      memory_cuda(),
      pack::variant<MemoryNaive>("naive", "the reference: the sum by its formula, without memory"));
}

}  // namespace kernsweep::cuda
