// The variants of both families; each has the members that kernels/api/pack.hpp describes. X: OfImages or
// OfWeights.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/conv2d/backward/problem.hpp"
#include "kernels/cpu/libraries/dnnl.hpp"
#include "kernels/cpu/parallel/pack_team.hpp"

namespace kernsweep::conv2d::backward {

// The references: the sums of the definitions in f64, one thread.
class NaiveOfImages {
 public:
  NaiveOfImages(const OfImages& problem, pack::Setup& setup);
  void run();
  ks_tensor output() const { return problem_.shown_input(y_.data(), KS_F64); }

 private:
  OfImages problem_;
  std::span<const float> gradient_, weights_;
  std::span<double> y_;
};

class NaiveOfWeights {
 public:
  NaiveOfWeights(const OfWeights& problem, pack::Setup& setup);
  void run();
  ks_tensor output() const { return problem_.shown_weights(y_.data(), KS_F64); }

 private:
  OfWeights problem_;
  std::span<const float> input_, gradient_;
  std::span<double> y_;
};

// By matrix products of any CBLAS library, image by image and group by group (gather.hpp); 1 x 1 kernels
// with stride 1 and no padding gather nothing. Here: the product of gradient and weights, and its sum back
// into the image.
class Col2im {
 public:
  using Settings = BlasSettings;
  static void can_run(const OfImages& problem, const Settings& settings);
  Col2im(const OfImages& problem, const Settings& settings, pack::Setup& setup);
  void run();
  ks_tensor output() const { return problem_.shown_input(y_.data(), KS_F32); }
  std::string runtime() const { return blas_->runtime(); }

 private:
  void compute(std::int64_t n, std::int64_t group);

  OfImages problem_;
  std::shared_ptr<const Cblas> blas_;
  std::unique_ptr<Team> team_;
  std::span<const float> gradient_, weights_;
  std::span<float> ordered_, gathered_, y_;
};

// By the same products: the gathered image times the gradient, added up over the images.
class Im2col {
 public:
  using Settings = BlasSettings;
  static void can_run(const OfWeights& problem, const Settings& settings);
  Im2col(const OfWeights& problem, const Settings& settings, pack::Setup& setup);
  void run();
  ks_tensor output() const { return problem_.shown_weights(y_.data(), KS_F32); }
  std::string runtime() const { return blas_->runtime(); }

 private:
  void compute(std::int64_t n, std::int64_t group);

  OfWeights problem_;
  std::shared_ptr<const Cblas> blas_;
  std::unique_ptr<Team> team_;
  std::span<const float> input_, gradient_;
  std::span<float> ordered_, gathered_, y_;
};

// oneDNN's, on operands in their own layouts or in layouts of the library's choice, which are made in
// `prepare` and converted back when the result is read.
template <class X>
class Onednn {
 public:
  enum class Format { plain, packed };
  struct Settings {
    Format weights = Format::packed, activations = Format::plain;
    static std::vector<pack::Param<Settings>> params();
  };
  static void can_run(const X& problem, const Settings& settings);
  Onednn(const X& problem, const Settings& settings, pack::Setup& setup);
  void run();
  ks_tensor output() const;
  std::string runtime() const { return operation_ == nullptr ? dnnl_runtime() : operation_->runtime(); }

 private:
  X problem_;
  std::span<float> zeros_;                    // the result of no images
  std::unique_ptr<DnnlOperation> operation_;  // null if there are none
};

extern template class Onednn<OfImages>;
extern template class Onednn<OfWeights>;

}  // namespace kernsweep::conv2d::backward
