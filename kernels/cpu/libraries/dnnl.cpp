#include "kernels/cpu/libraries/dnnl.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernels/cpu/libraries/dnnl_body.hpp"

namespace kernsweep {
namespace {

using Desc = dnnl::memory::desc;

const char* isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::all:
      return "all";
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    default:
      return "other";
  }
}

// In this version, scales apply to the sum with the primitive's own bias. So the bias of a product with
// scales is added after them.
bool adds_bias_after(const DnnlOperands& operands) {
  return !operands.column_scales.empty() && operands.bias;
}

// The second operand of the post-op at that place of attributes_of: `scale` first, then the bias.
int post_operand(int place) {
  return DNNL_ARG_ATTR_MULTIPLE_POST_OP(place) | DNNL_ARG_SRC_1;
}

dnnl::primitive_attr attributes_of(const DnnlOperands& operands) {
  dnnl::primitive_attr attr = dnnl_attributes();
  constexpr int kOfColumns = 1 << 1;
  if (!operands.column_scales.empty()) attr.set_output_scales(kOfColumns, operands.column_scales);
  if (operands.zero) attr.set_zero_points(DNNL_ARG_SRC, 0, {DNNL_RUNTIME_S32_VAL});
  dnnl::post_ops after;
  if (operands.scale) after.append_binary(dnnl::algorithm::binary_mul, dnnl_layout(*operands.scale));
  if (adds_bias_after(operands))
    after.append_binary(dnnl::algorithm::binary_add, dnnl_layout(*operands.bias));
  if (operands.activation != Activation::none) {
    const bool is_relu = operands.activation == Activation::relu;
    after.append_eltwise(1, is_relu ? dnnl::algorithm::eltwise_relu : dnnl::algorithm::eltwise_gelu_tanh, 0,
                         0);
  }
  attr.set_post_ops(after);
  return attr;
}

dnnl::matmul::primitive_desc describe_matmul(const DnnlOperands& operands) {
  const bool has_bias = operands.bias && !adds_bias_after(operands);
  const Desc bias = has_bias ? dnnl_layout(*operands.bias) : Desc();
  const dnnl::matmul::desc desc(dnnl_computed(operands.source), dnnl_computed(operands.weights), bias,
                                dnnl_computed(operands.result));
  return {desc, attributes_of(operands), dnnl_engine()};
}

dnnl::algorithm algorithm_of(DnnlAlgorithm algorithm) {
  switch (algorithm) {
    case DnnlAlgorithm::winograd:
      return dnnl::algorithm::convolution_winograd;
    case DnnlAlgorithm::automatic:
      return dnnl::algorithm::convolution_auto;
    case DnnlAlgorithm::direct:
      break;
  }
  return dnnl::algorithm::convolution_direct;
}

dnnl::convolution_forward::primitive_desc describe_convolution(const DnnlOperands& operands,
                                                               const DnnlWindow& window) {
  std::vector<std::int64_t> dilates = window.dilations;
  for (std::int64_t& dilation : dilates) --dilation;
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, algorithm_of(window.algorithm), dnnl_computed(operands.source),
      dnnl_computed(operands.weights), operands.bias ? dnnl_layout(*operands.bias) : Desc(),
      dnnl_computed(operands.result), window.strides, dilates, window.padding_before, window.padding_after);
  return {desc, attributes_of(operands), dnnl_engine()};
}

// KS_UNSUPPORTED if the library would compute with other weights than it is given. To multiply s8 by s8 it
// adds 128 to the source; without VNNI the sum of two such products may not fit 16 bits, so it halves the
// weights and rounds them ("Nuances of int8 computations"). Which of its kernels do so differs by
// instruction set and version, so the chosen layout is checked, not the processor.
ks_status check_weights(const dnnl::convolution_forward::primitive_desc& desc, const DnnlOperands& operands,
                        ks_why why) {
  const Desc weights = desc.weights_desc();
  const dnnl_memory_extra_desc_t& extra = weights.data.extra;
  const bool scaled = (extra.flags & dnnl_memory_extra_flag_scale_adjust) != 0 && extra.scale_adjust != 1;
  if (!scaled || operands.may_round) return KS_OK;
  return refuse(
      KS_UNSUPPORTED, why,
      fmt::format(
          "{} has no VNNI here: its {} halves weights of {} and rounds them, so results would not be "
          "exact. Take weights: plain (exact, but slow), a processor with AVX512_VNNI, or weights: rounded "
          "with a verify.tolerance for s8",
          dnnl_runtime(), desc.impl_info_str(), name_of(dtype_of(operands.weights.dtype))));
}

// "f32 x f32 -> f32"
std::string types_of(const DnnlOperands& operands) {
  const auto name = [](const DnnlOperand& operand) { return name_of(dtype_of(operand.dtype)); };
  return fmt::format("{} x {} -> {}", name(operands.source), name(operands.weights), name(operands.result));
}

std::vector<DnnlArgument> arguments_of(const DnnlOperands& operands, const Desc& source,
                                       const Desc& weights) {
  std::vector<DnnlArgument> out = {{DNNL_ARG_SRC, operands.source, source},
                                   {DNNL_ARG_WEIGHTS, operands.weights, weights}};
  const auto add = [&out](int number, const std::optional<DnnlOperand>& operand) {
    if (operand) out.push_back({number, *operand, dnnl_layout(*operand)});
  };
  add(post_operand(0), operands.scale);
  add(adds_bias_after(operands) ? post_operand(operands.scale ? 1 : 0) : DNNL_ARG_BIAS, operands.bias);
  add(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, operands.zero);
  return out;
}

}  // namespace

DnnlOperation::DnnlOperation(std::unique_ptr<Body> body) : body_(std::move(body)) {}
DnnlOperation::~DnnlOperation() = default;

ks_status DnnlOperation::can_multiply(const DnnlOperands& operands, ks_why why) {
  return dnnl_guarded(types_of(operands), why, [&] {
    static_cast<void>(describe_matmul(operands));
    return KS_OK;
  });
}

ks_status DnnlOperation::can_convolve(const DnnlOperands& operands, const DnnlWindow& window, ks_why why) {
  return dnnl_guarded(types_of(operands), why,
                      [&] { return check_weights(describe_convolution(operands, window), operands, why); });
}

std::unique_ptr<DnnlOperation> DnnlOperation::multiply(const DnnlOperands& operands,
                                                       const ks_context& context, ks_status& status,
                                                       ks_why why) {
  std::unique_ptr<DnnlOperation> made;
  status = dnnl_guarded(types_of(operands), why, [&] {
    dnnl_set_threads(context.threads);
    const dnnl::matmul::primitive_desc desc = describe_matmul(operands);
    made.reset(new DnnlOperation(std::make_unique<Body>(
        context, desc, dnnl::matmul(desc), arguments_of(operands, desc.src_desc(), desc.weights_desc()),
        DnnlArgument{DNNL_ARG_DST, operands.result, desc.dst_desc()})));
    return KS_OK;
  });
  return made;
}

std::unique_ptr<DnnlOperation> DnnlOperation::convolve(const DnnlOperands& operands,
                                                       const DnnlWindow& window, const ks_context& context,
                                                       ks_status& status, ks_why why) {
  std::unique_ptr<DnnlOperation> made;
  status = dnnl_guarded(types_of(operands), why, [&] {
    dnnl_set_threads(context.threads);
    const dnnl::convolution_forward::primitive_desc desc = describe_convolution(operands, window);
    const ks_status exact = check_weights(desc, operands, why);
    if (exact != KS_OK) return exact;
    made.reset(new DnnlOperation(
        std::make_unique<Body>(context, desc, dnnl::convolution_forward(desc),
                               arguments_of(operands, desc.src_desc(), desc.weights_desc()),
                               DnnlArgument{DNNL_ARG_DST, operands.result, desc.dst_desc()})));
    return KS_OK;
  });
  return made;
}

ks_status DnnlOperation::run() {
  try {
    body_->run();
    return KS_OK;
  } catch (const dnnl::error& error) {
    return error.status == dnnl_out_of_memory ? KS_OUT_OF_MEMORY : KS_FAILED;
  }
}

const void* DnnlOperation::fetch() {
  try {
    return body_->fetch();
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

const std::string& DnnlOperation::runtime() const {
  return body_->runtime();
}

bool dnnl_is_exact_in_8_bits() {
#if defined(__x86_64__)
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::avx2_vnni:
    case dnnl::cpu_isa::avx512_core_vnni:
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_amx:
      return true;
    default:
      return false;
  }
#else
  return true;
#endif
}

std::string dnnl_runtime() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{} isa={}", version->major, version->minor, version->patch,
                     isa_name(dnnl::get_effective_cpu_isa()));
}

}  // namespace kernsweep
