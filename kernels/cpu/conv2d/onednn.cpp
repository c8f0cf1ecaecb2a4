// oneDNN's convolution, on operands as they are or in layouts of the library's choice.
//
// `weights: packed` lets the library choose the layout of the weights, which are converted once, in
// `prepare`: what an inference engine does. `activations: packed` does the same for images and results, as
// inside of a network whose layers all run in the library: the images are converted in `prepare`, the
// result when it is read, none of it timed. With both plain, the library works on the user's layout, and
// may be far slower.
//
// s8 on processors without VNNI: in the layouts that the library chooses for its fast kernels, weights are
// rounded to even numbers. Such points are refused, because results would be wrong; `weights: rounded`
// measures them all the same.
#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "kernels/cpu/conv2d/epilogue_pass.hpp"
#include "kernels/cpu/conv2d/onednn_operands.hpp"
#include "kernels/cpu/conv2d/variants.hpp"
#include "kernels/cpu/libraries/dnnl.hpp"

namespace kernsweep::conv2d {
namespace {

const ks_param_doc kOnednnParams[] = {
    {"weights", KS_TEXT, "packed", "plain|packed|rounded",
     "layout of the weights: o i h w, or the library's choice; rounded: also one that rounds weights of "
     "s8"},
    {"activations", KS_TEXT, "plain", "plain|packed",
     "layout of images and results: `layout`, or the library's choice"},
    {"algorithm", KS_TEXT, "direct", "direct|winograd|auto",
     "winograd: 3 x 3 kernels with stride 1, less exact"},
    kEpilogueBy,
};

DnnlAlgorithm algorithm_of(std::string_view name) {
  if (name == "winograd") return DnnlAlgorithm::winograd;
  return name == "auto" ? DnnlAlgorithm::automatic : DnnlAlgorithm::direct;
}

DnnlOperands operands_of(const Problem& p, const Params& params) {
  const std::string_view weights = params.text("weights", "packed");
  const bool activations = std::string_view(params.text("activations", "plain")) == "packed";
  DnnlOperands operands = onednn_operands(p, activations, weights != "plain");
  operands.may_round = weights == "rounded";
  if (!is_fused(params)) return operands;
  if (p.epilogue.has_bias)
    operands.bias = {.dtype = ks_dtype_of(p.output_dtype()), .dims = {p.c_out}, .strides = {1}};
  if (p.epilogue.activation == Activation::relu) operands.activation = DnnlActivation::relu;
  return operands;
}

DnnlWindow window_of(const Problem& p, const Params& params) {
  return onednn_window(p, algorithm_of(params.text("algorithm", "direct")));
}

class Onednn {
 public:
  static ks_status can_run(const Problem& problem, const Params& params, ks_why why) {
    if (const ks_status status = params.check(kOnednnParams, std::size(kOnednnParams), why);
        status != KS_OK) {
      return status;
    }
    if (problem.tf32)
      return refuse(KS_UNSUPPORTED, why, "oneDNN has no arithmetic of tf32 on processors; take dtype f32");
    const bool in_layout = std::string_view(params.text("activations", "plain")) == "plain";
    if (!is_fused(params) && (problem.dtype != Dtype::f32 || !in_layout))
      return refuse(KS_UNSUPPORTED, why,
                    "epilogue_by: pass goes over results of f32 in their own layout; take dtype f32 with "
                    "activations: plain, or epilogue_by: fused");
    if (problem.batch == 0) return KS_OK;
    return DnnlOperation::can_convolve(operands_of(problem, params), window_of(problem, params), why);
  }

  ks_status prepare(const Problem& problem, const Params& params, const ks_context& context,
                    const ks_tensor* inputs, ks_why why) {
    problem_ = problem;
    if (problem.batch == 0) return KS_OK;
    DnnlOperands operands = operands_of(problem, params);
    operands.source.data = inputs[0].data;
    operands.weights.data = inputs[1].data;
    if (operands.bias) operands.bias->data = inputs[2].data;
    ks_status status = KS_OK;
    if (!is_fused(params) && !problem.epilogue.is_none()) {
      if (problem.epilogue.has_bias) bias_ = static_cast<const float*>(inputs[2].data);
      team_ = Team::make(context.threads, status, why);
      if (status != KS_OK) return status;
    }
    operation_ = DnnlOperation::convolve(operands, window_of(problem, params), context, status, why);
    return status;
  }

  ks_status run() {
    if (operation_ == nullptr) return KS_OK;
    const ks_status status = operation_->run();
    if (status != KS_OK || team_ == nullptr) return status;
    auto* const y =
        static_cast<float*>(const_cast<void*>(operation_->fetch()));  // memory of this operation
    return finish_convolution(problem_, bias_, y, *team_);
  }

  ks_status output(ks_tensor& out) {
    const void* data = operation_ == nullptr ? nullptr : operation_->fetch();
    view_output(problem_, data, ks_dtype_of(problem_.output_dtype()), out);
    return data != nullptr || problem_.output_elements() == 0 ? KS_OK : KS_FAILED;
  }

  const char* runtime() const { return operation_ == nullptr ? "" : operation_->runtime().c_str(); }

 private:
  Problem problem_;
  const float* bias_ = nullptr;               // of a pass
  std::unique_ptr<Team> team_;                // of a pass; null if there is none
  std::unique_ptr<DnnlOperation> operation_;  // null for an empty batch
};

}  // namespace

const ks_variant kOnednn =
    variant_of<Onednn>("onednn", "oneDNN, forward inference", kOnednnParams, std::size(kOnednnParams));

}  // namespace kernsweep::conv2d
