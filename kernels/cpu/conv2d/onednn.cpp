// oneDNN's convolution, on operands in their own layouts or in layouts of the library's choice.
//
// `weights: packed` lets the library choose the layout of the weights, which are converted once, in
// `prepare`, as in an inference engine. `activations: packed` does the same for images and results, as
// within a network whose layers all run in the library: the images are converted in `prepare`, the result
// when it is read; neither is timed. With both plain, the library works on the user's layout, and may be
// far slower.
//
// s8 on processors without VNNI: in the layouts that the library chooses for its fast kernels, weights are
// rounded to even numbers. Such points are rejected, because results would be wrong; `weights: rounded`
// measures them anyway.
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/conv2d/epilogue_pass.hpp"
#include "kernels/cpu/conv2d/onednn_operands.hpp"
#include "kernels/cpu/conv2d/variants.hpp"
#include "kernels/cpu/libraries/dnnl.hpp"
#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep::conv2d {
namespace {

struct OnednnSettings {
  enum class Weights { plain, packed, rounded } weights = Weights::packed;
  bool packed_activations = false;
  enum class Algorithm { direct, winograd, automatic } algorithm = Algorithm::direct;
  EpilogueBy epilogue_by = EpilogueBy::fused;

  static auto params() {
    using pack::param;
    using Settings = OnednnSettings;
    return std::vector{
        param<&Settings::weights>(
            {.name = "weights",
             .summary = "layout of the weights: o i h w, or the library's choice; rounded: also one that "
                        "rounds weights of s8",
             .fallback = "packed",
             .choices = "plain|packed|rounded",
             .setting = true}),
        param<&Settings::packed_activations>(
            {.name = "activations",
             .summary = "layout of images and results: `layout`, or the library's choice",
             .fallback = "plain",
             .choices = "plain|packed",
             .setting = true}),
        param<&Settings::algorithm>({.name = "algorithm",
                                     .summary = "winograd: 3 x 3 kernels with stride 1, less exact",
                                     .fallback = "direct",
                                     .choices = "direct|winograd|auto",
                                     .setting = true}),
        param<&Settings::epilogue_by>(kEpilogueBy)};
  }
};

DnnlOperands operands_of(const Problem& p, const OnednnSettings& settings) {
  using Weights = OnednnSettings::Weights;
  DnnlOperands operands =
      onednn_operands(p, settings.packed_activations, settings.weights != Weights::plain);
  operands.may_round = settings.weights == Weights::rounded;
  if (settings.epilogue_by == EpilogueBy::pass) return operands;
  if (p.epilogue.has_bias)
    operands.bias = {.dtype = ks_dtype_of(p.output_dtype()), .dims = {p.c_out}, .strides = {1}};
  operands.activation = p.epilogue.activation;
  return operands;
}

DnnlWindow window_of(const Problem& p, const OnednnSettings& settings) {
  using Algorithm = OnednnSettings::Algorithm;
  if (settings.algorithm == Algorithm::winograd) return onednn_window(p, DnnlAlgorithm::winograd);
  return onednn_window(
      p, settings.algorithm == Algorithm::direct ? DnnlAlgorithm::direct : DnnlAlgorithm::automatic);
}

class Onednn {
 public:
  using Settings = OnednnSettings;

  static void can_run(const Problem& problem, const Settings& settings) {
    if (problem.tf32)
      throw pack::Refused(KS_UNSUPPORTED, "oneDNN has no arithmetic of tf32 on processors; take dtype f32");
    if (settings.epilogue_by == EpilogueBy::pass &&
        (problem.dtype != Dtype::f32 || settings.packed_activations))
      throw pack::Refused(KS_UNSUPPORTED,
                          "epilogue_by: pass goes over results of f32 in their own layout; take dtype f32 "
                          "with activations: plain, or epilogue_by: fused");
    if (problem.batch == 0) return;
    require([&](ks_why why) {
      return DnnlOperation::can_convolve(operands_of(problem, settings), window_of(problem, settings), why);
    });
  }

  Onednn(const Problem& problem, const Settings& settings, pack::Setup& setup) : problem_(problem) {
    can_run(problem, settings);
    if (problem.batch == 0) return;
    DnnlOperands operands = operands_of(problem, settings);
    operands.source.data = setup.tensor(0).data;
    operands.weights.data = setup.tensor(1).data;
    if (operands.bias) operands.bias->data = setup.tensor(2).data;
    if (settings.epilogue_by == EpilogueBy::pass && !problem.epilogue.is_none()) {
      if (problem.epilogue.has_bias) bias_ = setup.input<float>(2).data();
      team_ = team_of(setup);
    }
    operation_ = made([&](ks_status& status, ks_why why) {
      return DnnlOperation::convolve(operands, window_of(problem, settings), setup.context(), status, why);
    });
  }

  void run() {
    if (operation_ == nullptr) return;
    if (const ks_status status = operation_->run(); status != KS_OK)
      throw pack::Refused(status, "oneDNN has failed");
    if (team_ == nullptr) return;
    auto* const y =
        static_cast<float*>(const_cast<void*>(operation_->fetch()));  // memory of this operation
    finish_convolution(problem_, bias_, y, *team_);
  }

  ks_tensor output() const {
    const void* const data = operation_ == nullptr ? nullptr : operation_->fetch();
    if (operation_ != nullptr && data == nullptr)
      throw pack::Refused(KS_FAILED, "oneDNN cannot convert the result");
    return problem_.shown_result(data, ks_dtype_of(problem_.output_dtype()));
  }

  std::string runtime() const { return operation_ == nullptr ? "" : operation_->runtime(); }

 private:
  Problem problem_;
  const float* bias_ = nullptr;               // for a pass
  std::unique_ptr<Team> team_;                // for a pass; null if there is none
  std::unique_ptr<DnnlOperation> operation_;  // null for an empty batch
};

}  // namespace

pack::Variant onednn() {
  return pack::variant<Onednn>("onednn", "oneDNN, forward inference").of<Problem>();
}

}  // namespace kernsweep::conv2d
