// The reference: the additions one after the other on the host.
#include <algorithm>

#include "kernels/cuda/host_work.hpp"
#include "kernels/cuda/launch/launch.hpp"

namespace kernsweep::cuda {
namespace {

class LaunchNaive {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    Launches launches;
    return parse_launches(params, launches, why);
  }

  LaunchNaive(const ks_params* params, const ks_context& context, const ks_tensor*)
      : launches_(read_checked(parse_launches, params)),
        counts_(static_cast<std::int32_t*>(
            host_memory(context, static_cast<std::size_t>(launches_.n) * sizeof(std::int32_t)))) {}

  void run() {
    std::fill_n(counts_, launches_.n, 0);
    for (std::int64_t kernel = 0; kernel < launches_.all_kernels(); ++kernel)
      for (std::int64_t i = 0; i < launches_.n; ++i) ++counts_[i];
  }

  void output(ks_tensor& out) { view_of(counts_, KS_S32, launches_.n, out); }

 private:
  Launches launches_;
  std::int32_t* counts_;
};

}  // namespace

const ks_variant kLaunchNaive =
    host_variant<LaunchNaive>("naive", "the reference: the additions on the host, one thread");

}  // namespace kernsweep::cuda
