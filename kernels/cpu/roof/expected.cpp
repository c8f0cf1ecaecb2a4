// The reference: gives the right output without computing it.
#include <memory>

#include "kernels/cpu/libraries/variant.hpp"
#include "kernels/cpu/roof/roof.hpp"

namespace kernsweep::roof {
namespace {

class Expected {
 public:
  static ks_status can_run(const ks_params* params, ks_why why) {
    Problem problem;
    return parse(params, problem, why);
  }

  static ks_status prepare(const ks_params* params, const ks_context&, const ks_tensor*,
                           std::unique_ptr<Expected>& made, ks_why why) {
    Problem problem;
    if (const ks_status status = parse(params, problem, why); status != KS_OK) return status;
    made = std::make_unique<Expected>();
    const double each = problem.op == Op::triad ? 7 : 1;
    made->values_[0] = made->values_[1] = each;
    return KS_OK;
  }

  ks_status run() { return KS_OK; }
  ks_status output(ks_tensor& out) {
    view_of(values_, out);
    return KS_OK;
  }
  const char* runtime() const { return ""; }

 private:
  double values_[2] = {};
};

}  // namespace

const ks_variant kExpected =
    make_variant<Expected>("expected", "the reference: what must come out; computes nothing");

}  // namespace kernsweep::roof
