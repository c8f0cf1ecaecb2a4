#include "kernels/cpu/memory_bound/onednn.hpp"

#include <algorithm>

#include "kernels/cpu/parallel/pack_team.hpp"

namespace kernsweep::memory_bound {
namespace {

bool is_empty(const DnnlPass& pass) {
  return std::ranges::any_of(pass.result.dims, [](std::int64_t extent) { return extent == 0; });
}

}  // namespace

DnnlOperand dense_operand(ks_dtype dtype, const std::vector<std::int64_t>& shape, const void* data) {
  const ks_tensor view = pack::dense(data, dtype, shape);
  return {.dtype = dtype, .dims = shape, .strides = {view.strides, view.strides + view.rank}, .data = data};
}

void OnednnPass::require(const DnnlPass& pass) {
  if (is_empty(pass)) return;
  kernsweep::require([&](ks_why why) { return DnnlOperation::can_pass(pass, why); });
}

OnednnPass::OnednnPass(const DnnlPass& pass, pack::Setup& setup) : dtype_(pass.result.dtype) {
  if (is_empty(pass)) return;
  operation_ = made([&](ks_status& status, ks_why why) {
    return DnnlOperation::pass(pass, setup.context(), status, why);
  });
}

void OnednnPass::run() {
  if (operation_ == nullptr) return;
  const ks_status status = operation_->run();
  if (status != KS_OK) throw pack::Refused(status, "oneDNN could not compute it");
}

ks_tensor OnednnPass::output(const std::vector<std::int64_t>& shape) const {
  return pack::dense(operation_ == nullptr ? nullptr : operation_->fetch(), dtype_, shape);
}

std::string OnednnPass::runtime() const {
  return operation_ == nullptr ? dnnl_runtime() : operation_->runtime();
}

}  // namespace kernsweep::memory_bound
