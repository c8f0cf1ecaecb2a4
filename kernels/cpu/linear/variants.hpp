// The variants of the family.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/libraries/dnnl.hpp"
#include "kernels/cpu/libraries/pack_settings.hpp"
#include "kernels/cpu/linear/product.hpp"
#include "kernels/cpu/linear/quantised.hpp"

namespace kernsweep::linear {

// A layer in f32, or in bf16 with x converted in each call, by a variant of gemm, which also computes the
// epilogue, unless that is a pass. These are the layers without 8-bit products.
class FloatLayer {
 public:
  FloatLayer(const Problem& problem, const ks_variant& variant, const ProductPoint& point, bool fused,
             ks_dtype result, pack::Setup& setup);
  void run();
  ks_tensor output() const { return pack::dense(product_->result(), result_, {problem_.m, problem_.n}); }
  std::string runtime() const { return product_->runtime(); }

 private:
  Problem problem_;
  bool fused_;
  ks_dtype result_;
  const Loops& loops_;
  std::unique_ptr<Team> team_;
  std::span<const float> x_, bias_;
  std::span<std::uint16_t> x_bf16_, w_bf16_;
  std::unique_ptr<Product> product_;
};

// The reference: that of gemm, sums in f64 of the operands as given, whatever the dtype of the point.
class Naive : public FloatLayer {
 public:
  Naive(const Problem& problem, pack::Setup& setup);
};

class Blas : public FloatLayer {
 public:
  using Settings = BlasSettings;
  Blas(const Problem& problem, const BlasSettings& settings, pack::Setup& setup);
  static void can_run(const Problem& problem);
};

class Blocked : public FloatLayer {
 public:
  Blocked(const Problem& problem, pack::Setup& setup);
  static void can_run(const Problem& problem);
};

// f32 and bf16 by gemm's, s8 by a primitive with scales.
class OneDnn {
 public:
  enum class Layout { plain, packed };
  struct Settings {
    EpilogueBy epilogue_by = EpilogueBy::fused;
    Layout weights = Layout::packed;

    static std::vector<pack::Param<Settings>> params() {
      return {pack::param<&Settings::epilogue_by>(kEpilogueBy),
              pack::param<&Settings::weights>({.name = "weights",
                                               .summary = "plain: w as it lies; packed: converted once, "
                                                          "not timed",
                                               .fallback = "packed",
                                               .choices = "plain|packed",
                                               .setting = true})};
    }
  };
  OneDnn(const Problem& problem, const Settings& settings, pack::Setup& setup);
  static void can_run(const Problem& problem, const Settings& settings);
  void run();
  ks_tensor output() const;
  std::string runtime() const;

 private:
  Problem problem_;
  bool fused_;
  std::optional<FloatLayer> in_floats_;
  const Loops& loops_;
  std::unique_ptr<Team> team_;
  std::span<const float> bias_;
  std::unique_ptr<Activations> x_;
  std::span<float> scale_;  // of x
  std::span<std::int32_t> zero_;
  std::unique_ptr<DnnlOperation> operation_;
};

// Our own product of 8-bit numbers, W packed beforehand.
class Own {
 public:
  struct Settings {
    EpilogueBy epilogue_by = EpilogueBy::fused;
    std::string isa = "best";

    static std::vector<pack::Param<Settings>> params() {
      return {pack::param<&Settings::epilogue_by>(kEpilogueBy), isa_param<&Settings::isa>(kIsaNames)};
    }
  };
  Own(const Problem& problem, const Settings& settings, pack::Setup& setup);
  static void can_run(const Problem& problem, const Settings& settings);
  void run();
  std::string runtime() const;

 private:
  void pack_panels(const Weights& weights);
  void multiply_panel(std::int64_t panel, std::int32_t* sums);

  Problem problem_;
  bool fused_;
  const Loops& loops_;
  std::unique_ptr<Team> team_;
  std::span<const float> bias_;
  std::span<float> y_;
  std::int64_t panels_ = 0;
  std::int64_t depth_ = 0;  // k, rounded up to the group
  std::span<std::int8_t> packed_;
  std::vector<float> w_scales_;       // [panels][columns]
  std::vector<std::int32_t> w_sums_;  // the same
  std::span<float> scales_;
  std::span<std::int32_t> taken_off_;
  std::span<std::int32_t> sums_;  // of each thread
  std::unique_ptr<Activations> x_;
};

}  // namespace kernsweep::linear
