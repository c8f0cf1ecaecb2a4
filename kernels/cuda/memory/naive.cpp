// The reference: the sum by its formula.
#include "kernels/cuda/host_work.hpp"
#include "kernels/cuda/memory/memory.hpp"
#include "kernels/cuda/memory/memory_kernels.hpp"

namespace kernsweep::cuda {
namespace {

class MemoryNaive {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    std::int64_t bytes = 0;
    return parse_memory(params, bytes, why);
  }

  MemoryNaive(const ks_params* params, const ks_context& context, const ks_tensor*)
      : bytes_(read_checked(parse_memory, params)),
        sum_(static_cast<std::uint64_t*>(host_memory(context, 8))) {}

  void run() { *sum_ = sum_of_words(bytes_ / 8); }

  void output(ks_tensor& out) { view_of(sum_, KS_S64, 1, out); }

 private:
  std::int64_t bytes_;
  std::uint64_t* sum_;
};

}  // namespace

const ks_variant kMemoryNaive =
    host_variant<MemoryNaive>("naive", "the reference: the sum by its formula, without memory");

}  // namespace kernsweep::cuda
