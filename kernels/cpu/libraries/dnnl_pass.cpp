// Passes over arrays: softmax, normalisation, element by element, reductions, other strides.
#include <fmt/format.h>

#include "kernels/cpu/libraries/dnnl_body.hpp"

namespace kernsweep {
namespace {

using Kind = DnnlPassKind;

// A description of a primitive, and the primitive, which is made from it only on request.
struct Described {
  dnnl::primitive_desc_base desc;
  dnnl::primitive (*make)(const dnnl::primitive_desc_base& desc);
};

template <class Primitive>
Described described(typename Primitive::primitive_desc desc) {
  return {desc, [](const dnnl::primitive_desc_base& base) {
            typename Primitive::primitive_desc own;
            own.reset(base.get(), true);  // `base` keeps the description
            return dnnl::primitive(Primitive(own));
          }};
}

template <class Primitive>
Described describe(const typename Primitive::desc& desc) {
  return described<Primitive>({desc, dnnl_attributes(), dnnl_engine()});
}

Described describe_reduction(dnnl::algorithm algorithm, const DnnlPass& pass) {
  return describe<dnnl::reduction>(
      {algorithm, dnnl_layout(pass.inputs[0]), dnnl_layout(pass.result), 2, 0});
}

Described describe_elements(dnnl::algorithm algorithm, const DnnlPass& pass, float alpha = 0) {
  return describe<dnnl::eltwise_forward>(
      {dnnl::prop_kind::forward_inference, algorithm, dnnl_layout(pass.inputs[0]), alpha, 0});
}

Described describe_binary(dnnl::algorithm algorithm, const DnnlPass& pass) {
  return describe<dnnl::binary>(
      {algorithm, dnnl_layout(pass.inputs[0]), dnnl_layout(pass.inputs[1]), dnnl_layout(pass.result)});
}

Described describe_pass(const DnnlPass& pass) {
  using dnnl::algorithm;
  const dnnl::memory::desc source = dnnl_layout(pass.inputs[0]);
  const dnnl::memory::desc result = dnnl_layout(pass.result);
  switch (pass.kind) {
    case Kind::softmax:
      return describe<dnnl::softmax_v2_forward>({dnnl::prop_kind::forward_inference,
                                                 algorithm::softmax_accurate, source, result,
                                                 static_cast<int>(pass.inputs[0].dims.size()) - 1});
    case Kind::layer_normalization:
      return describe<dnnl::layer_normalization_forward>(
          {dnnl::prop_kind::forward_inference, source, pass.epsilon,
           dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift});
    case Kind::relu:
      return describe_elements(algorithm::eltwise_relu, pass);
    case Kind::gelu_tanh:
      return describe_elements(algorithm::eltwise_gelu_tanh, pass);
    case Kind::logistic:
      return describe_elements(algorithm::eltwise_logistic, pass);
    case Kind::swish:
      return describe_elements(algorithm::eltwise_swish, pass, 1);
    case Kind::exp:
      return describe_elements(algorithm::eltwise_exp, pass);
    case Kind::add:
      return describe_binary(algorithm::binary_add, pass);
    case Kind::mul:
      return describe_binary(algorithm::binary_mul, pass);
    case Kind::sum:
      return describe_reduction(algorithm::reduction_sum, pass);
    case Kind::mean:
      return describe_reduction(algorithm::reduction_mean, pass);
    case Kind::max:
      return describe_reduction(algorithm::reduction_max, pass);
    case Kind::l2_norm:
      return describe_reduction(algorithm::reduction_norm_lp_sum, pass);
    case Kind::reorder:
      break;
  }
  return described<dnnl::reorder>({dnnl_engine(), source, dnnl_engine(), result, dnnl_attributes()});
}

std::vector<DnnlArgument> arguments_of(const DnnlPass& pass) {
  static constexpr int kBinary[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1};
  static constexpr int kNormalization[] = {DNNL_ARG_SRC, DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
  std::vector<DnnlArgument> out;
  for (std::size_t i = 0; i < pass.inputs.size(); ++i) {
    const int number = pass.inputs.size() == 2 ? kBinary[i] : kNormalization[i];
    out.push_back({number, pass.inputs[i], dnnl_layout(pass.inputs[i])});
  }
  return out;
}

std::string types_of(const DnnlPass& pass) {
  return fmt::format("{} -> {}", name_of(dtype_of(pass.inputs[0].dtype)),
                     name_of(dtype_of(pass.result.dtype)));
}

}  // namespace

ks_status DnnlOperation::can_pass(const DnnlPass& pass, ks_why why) {
  return dnnl_guarded(types_of(pass), why, [&] {
    static_cast<void>(describe_pass(pass));
    return KS_OK;
  });
}

std::unique_ptr<DnnlOperation> DnnlOperation::pass(const DnnlPass& pass, const ks_context& context,
                                                   ks_status& status, ks_why why) {
  std::unique_ptr<DnnlOperation> made;
  status = dnnl_guarded(types_of(pass), why, [&] {
    dnnl_set_threads(context.threads);
    const Described it = describe_pass(pass);
    made.reset(new DnnlOperation(
        std::make_unique<Body>(context, it.desc, it.make(it.desc), arguments_of(pass),
                               DnnlArgument{DNNL_ARG_DST, pass.result, dnnl_layout(pass.result)})));
    return KS_OK;
  });
  return made;
}

}  // namespace kernsweep
