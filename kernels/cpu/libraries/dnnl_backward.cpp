// The gradients of a convolution.
#include <fmt/format.h>

#include "kernels/cpu/libraries/dnnl_body.hpp"

namespace kernsweep {
namespace {

using Desc = dnnl::memory::desc;

std::vector<std::int64_t> dilates_of(const DnnlWindow& window) {
  std::vector<std::int64_t> dilates = window.dilations;
  for (std::int64_t& dilation : dilates) --dilation;
  return dilates;
}

// The library requires the convolution itself, as a hint.
dnnl::convolution_forward::primitive_desc describe_forward(const DnnlOperands& operands,
                                                           const DnnlWindow& window) {
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
      dnnl_computed(operands.source), dnnl_computed(operands.weights), dnnl_computed(operands.result),
      window.strides, dilates_of(window), window.padding_before, window.padding_after);
  return {desc, dnnl_attributes(), dnnl_engine()};
}

template <class Backward>
typename Backward::primitive_desc describe(const DnnlOperands& operands, const DnnlWindow& window) {
  const typename Backward::desc desc(dnnl::algorithm::convolution_direct, dnnl_computed(operands.source),
                                     dnnl_computed(operands.weights), dnnl_computed(operands.result),
                                     window.strides, dilates_of(window), window.padding_before,
                                     window.padding_after);
  return {desc, dnnl_attributes(), dnnl_engine(), describe_forward(operands, window)};
}

using OfSource = dnnl::convolution_backward_data;
using OfWeights = dnnl::convolution_backward_weights;

std::string types_of(DnnlGradient of, const DnnlOperands& operands) {
  return fmt::format("the gradient of {} of a convolution of {}",
                     of == DnnlGradient::source ? "the source" : "the weights",
                     name_of(dtype_of(operands.source.dtype)));
}

}  // namespace

ks_status DnnlOperation::can_convolve_backward(DnnlGradient of, const DnnlOperands& operands,
                                               const DnnlWindow& window, ks_why why) {
  return dnnl_guarded(types_of(of, operands), why, [&] {
    if (of == DnnlGradient::source)
      static_cast<void>(describe<OfSource>(operands, window));
    else
      static_cast<void>(describe<OfWeights>(operands, window));
    return KS_OK;
  });
}

std::unique_ptr<DnnlOperation> DnnlOperation::convolve_backward(DnnlGradient of,
                                                                const DnnlOperands& operands,
                                                                const DnnlWindow& window,
                                                                const ks_context& context,
                                                                ks_status& status, ks_why why) {
  std::unique_ptr<DnnlOperation> made;
  status = dnnl_guarded(types_of(of, operands), why, [&] {
    dnnl_set_threads(context.threads);
    if (of == DnnlGradient::source) {
      const auto desc = describe<OfSource>(operands, window);
      made.reset(new DnnlOperation(std::make_unique<Body>(
          context, desc, OfSource(desc),
          std::vector<DnnlArgument>{{DNNL_ARG_DIFF_DST, operands.result, desc.diff_dst_desc()},
                                    {DNNL_ARG_WEIGHTS, operands.weights, desc.weights_desc()}},
          DnnlArgument{DNNL_ARG_DIFF_SRC, operands.source, desc.diff_src_desc()})));
    } else {
      const auto desc = describe<OfWeights>(operands, window);
      made.reset(new DnnlOperation(std::make_unique<Body>(
          context, desc, OfWeights(desc),
          std::vector<DnnlArgument>{{DNNL_ARG_SRC, operands.source, desc.src_desc()},
                                    {DNNL_ARG_DIFF_DST, operands.result, desc.diff_dst_desc()}},
          DnnlArgument{DNNL_ARG_DIFF_WEIGHTS, operands.weights, desc.diff_weights_desc()})));
    }
    return KS_OK;
  });
  return made;
}

}  // namespace kernsweep
