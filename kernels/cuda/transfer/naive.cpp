// The reference: the input copied on the host, with the steps of the kernel in between.
#include "kernels/cuda/host_work.hpp"
#include "kernels/cuda/transfer/transfer.hpp"
#include "kernels/cuda/transfer/transfer_kernels.hpp"

namespace kernsweep::cuda {
namespace {

// Many steps at once: value -> factor value + addend modulo 2^32.
struct Steps {
  std::uint32_t factor = 1, addend = 0;

  Steps after(const Steps& first) const { return {factor * first.factor, factor * first.addend + addend}; }

  // By squaring: as many as there are bits in `count`.
  Steps times(std::int64_t count) const {
    Steps result, power = *this;
    for (; count > 0; count /= 2) {
      if (count % 2 == 1) result = power.after(result);
      power = power.after(power);
    }
    return result;
  }

  static Steps of(std::int64_t count) { return Steps{kStepFactor, kStepAddend}.times(count); }
};

class TransferNaive {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    Transfer transfer;
    return parse_transfer(params, transfer, why);
  }

  TransferNaive(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : transfer_(read_checked(parse_transfer, params)),
        steps_(Steps::of(transfer_.steps).times(transfer_.rounds)),
        from_(static_cast<const std::uint32_t*>(inputs[0].data)),
        to_(static_cast<std::uint32_t*>(host_memory(context, transfer_.bytes()))) {}

  void run() {
    for (std::int64_t i = 0; i < transfer_.n; ++i) to_[i] = from_[i] * steps_.factor + steps_.addend;
  }

  void output(ks_tensor& out) { view_of(to_, KS_S32, transfer_.n, out); }

 private:
  Transfer transfer_;
  Steps steps_;
  const std::uint32_t* from_;
  std::uint32_t* to_;
};

}  // namespace

const ks_variant kTransferNaive =
    host_variant<TransferNaive>("naive", "the reference: a copy on the host, one thread");

}  // namespace kernsweep::cuda
