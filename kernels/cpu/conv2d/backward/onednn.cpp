#include <algorithm>
#include <type_traits>

#include "kernels/cpu/conv2d/backward/variants.hpp"
#include "kernels/cpu/conv2d/onednn_operands.hpp"

namespace kernsweep::conv2d::backward {
namespace {

template <class X>
constexpr bool kIsOfImages = std::is_same_v<X, OfImages>;

template <class X>
constexpr DnnlGradient kGradient = kIsOfImages<X> ? DnnlGradient::source : DnnlGradient::weights;

template <class X>
DnnlOperands operands_of(const X& problem, const typename Onednn<X>::Settings& settings) {
  using Format = typename Onednn<X>::Format;
  return onednn_operands(problem, settings.activations == Format::packed,
                         settings.weights == Format::packed);
}

DnnlWindow window_of(const Problem& problem) {
  return onednn_window(problem, DnnlAlgorithm::direct);
}

template <class X>
DnnlOperand& result_in(DnnlOperands& operands) {
  return kIsOfImages<X> ? operands.source : operands.weights;
}

std::size_t elements_of(const DnnlOperand& operand) {
  std::int64_t count = 1;
  for (const std::int64_t extent : operand.dims) count *= extent;
  return static_cast<std::size_t>(count);
}

}  // namespace

template <class X>
std::vector<pack::Param<typename Onednn<X>::Settings>> Onednn<X>::Settings::params() {
  using pack::param;
  return {
      param<&Settings::weights>({.name = "weights",
                                 .summary = "layout of the weights or their gradient: o i h w, or the "
                                            "library's choice",
                                 .fallback = "packed",
                                 .choices = "plain|packed",
                                 .setting = true}),
      param<&Settings::activations>({.name = "activations",
                                     .summary = "layout of images and gradients of results: `layout`, or "
                                                "the library's choice",
                                     .fallback = "plain",
                                     .choices = "plain|packed",
                                     .setting = true})};
}

template <class X>
void Onednn<X>::can_run(const X& problem, const Settings& settings) {
  if (problem.batch == 0) return;
  require([&](ks_why why) {
    return DnnlOperation::can_convolve_backward(kGradient<X>, operands_of(problem, settings),
                                                window_of(problem), why);
  });
}

template <class X>
Onednn<X>::Onednn(const X& problem, const Settings& settings, pack::Setup& setup) : problem_(problem) {
  DnnlOperands operands = operands_of(problem, settings);
  if (problem.batch == 0) {
    zeros_ = setup.allocate<float>(elements_of(result_in<X>(operands)));
    return;
  }
  (kIsOfImages<X> ? operands.result : operands.source).data = setup.tensor(0).data;
  (kIsOfImages<X> ? operands.weights : operands.result).data = setup.tensor(1).data;
  operation_ = made([&](ks_status& status, ks_why why) {
    return DnnlOperation::convolve_backward(kGradient<X>, operands, window_of(problem), setup.context(),
                                            status, why);
  });
}

template <class X>
void Onednn<X>::run() {
  if (operation_ == nullptr) return std::fill(zeros_.begin(), zeros_.end(), 0.0F);
  if (const ks_status status = operation_->run(); status != KS_OK)
    throw pack::Refused(status, "oneDNN has failed");
}

template <class X>
ks_tensor Onednn<X>::output() const {
  const void* const data = operation_ == nullptr ? zeros_.data() : operation_->fetch();
  if (operation_ != nullptr && data == nullptr)
    throw pack::Refused(KS_FAILED, "oneDNN cannot convert the result");
  if constexpr (kIsOfImages<X>)
    return problem_.shown_input(data, KS_F32);
  else
    return problem_.shown_weights(data, KS_F32);
}

template class Onednn<OfImages>;
template class Onednn<OfWeights>;

}  // namespace kernsweep::conv2d::backward
