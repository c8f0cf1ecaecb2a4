// Convolution as a matrix product: the inputs of all products are gathered into a matrix, and any CBLAS
// library of the host multiplies it with the weights (K. Chellapilla, S. Puri and P. Simard, "High
// Performance Convolutional Neural Networks for Document Processing", 2006).
//
//   nchw  result[c_out, pixels] = weights[c_out, depth] x gathered[depth, pixels]
//   nhwc  result[pixels, c_out] = gathered[pixels, depth] x weights[c_out, depth]^T
//
// Images and groups are computed one after the other. `prepare` allocates the gathered matrix of one image;
// gathering is part of each run. For nhwc, `prepare` puts the weights in the order r, s, c. A 1 x 1 kernel
// with stride 1 and no padding gathers nothing: the image is the matrix.
//
// The gather runs on our threads. So does the product if the library permits it, each with a part of the
// pixels: threads of OpenBLAS would wait for the next product in a loop, and take a core from the gather.
// With other libraries each product is computed by their own threads. An epilogue is a pass over the whole
// result. f32 only.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "kernels/cpu/conv2d/epilogue_pass.hpp"
#include "kernels/cpu/conv2d/gather.hpp"
#include "kernels/cpu/conv2d/variants.hpp"
#include "kernels/cpu/parallel/pack_team.hpp"

namespace kernsweep::conv2d {
namespace {

class Im2col {
 public:
  struct Settings : BlasSettings {
    static auto params() {
      auto made = BlasSettings::params();
      made[0].text.summary = "file name of a CBLAS library, as the loader takes it";
      return made;
    }
  };

  static void can_run(const Problem& problem) {
    if (problem.tf32 || problem.dtype != Dtype::f32)
      throw pack::Refused(KS_UNSUPPORTED,
                          fmt::format("dtype {}: a CBLAS library computes f32 here; onednn may do more",
                                      problem.dtype_name()));
    const std::int64_t largest =
        std::max({problem.pixels_out(), problem.depth(), problem.c_out, problem.c_in});
    if (largest > std::numeric_limits<int>::max())
      throw pack::Refused(
          KS_UNSUPPORTED,
          fmt::format("a matrix of {} rows is too large for CBLAS, which counts in 32 bits", largest));
  }

  Im2col(const Problem& problem, const Settings& settings, pack::Setup& setup)
      : problem_(problem),
        blas_((can_run(problem), settings.open(setup))),
        parts_(blas_->takes_several_calls() ? setup.threads() : 1),
        runtime_(blas_->runtime()),
        team_(team_of(setup)),
        input_(setup.input<float>(0).data()),
        weights_(setup.input<float>(1).data()),
        bias_(problem.epilogue.has_bias ? setup.input<float>(2).data() : nullptr),
        gathered_(
            allocated(problem.is_matrix_product() ? 0 : problem.depth() * problem.pixels_out(), setup)),
        output_(allocated(problem.output_elements(), setup)) {
    if (parts_ > 1) blas_ = settings.open_for(1);
    if (!problem.channels_last || problem.kh * problem.kw == 1) return;
    float* const ordered = allocated(problem.weight_elements(), setup);
    order_weights(problem_, weights_, ordered);
    weights_ = ordered;
  }

  void run() {
    for (std::int64_t n = 0; n < problem_.batch; ++n)
      for (std::int64_t group = 0; group < problem_.groups; ++group)
        problem_.channels_last ? convolve_last(n, group) : convolve_first(n, group);
    finish_convolution(problem_, bias_, output_, *team_);
  }

  ks_tensor output() const { return problem_.shown_result(output_, KS_F32); }

  std::string runtime() const { return runtime_; }

 private:
  static float* allocated(std::int64_t count, pack::Setup& setup) {
    return setup.allocate<float>(static_cast<std::size_t>(count)).data();
  }
  static int narrow(std::int64_t extent) { return static_cast<int>(extent); }  // can_run has checked it

  // Calls product(first, end) for each part of the pixels, whose bounds are multiples of a cache line.
  template <class Product>
  void on_parts(const Product& product) {
    constexpr std::int64_t kLine = 16;
    const std::int64_t lines = (problem_.pixels_out() + kLine - 1) / kLine;
    const auto begin_of = [&](std::int64_t part) {
      return std::min(lines * part / parts_ * kLine, problem_.pixels_out());
    };
    on_each(*team_, parts_, [&](std::int64_t part) {
      if (begin_of(part) < begin_of(part + 1)) product(begin_of(part), begin_of(part + 1));
    });
  }

  void convolve_first(std::int64_t n, std::int64_t group) {
    const Problem& p = problem_;
    const float* image = input_ + (n * p.c_in + group * p.group_in()) * p.h * p.w;
    const float* matrix = image;
    if (gathered_ != nullptr) {
      on_each(*team_, p.depth(), [&](std::int64_t k) { gather_first(problem_, image, k, gathered_); });
      matrix = gathered_;
    }
    const int pixels = narrow(p.pixels_out());
    const int depth = narrow(p.depth());
    float* const result = output_ + (n * p.c_out + group * p.group_out()) * p.pixels_out();
    on_parts([&](std::int64_t first, std::int64_t end) {
      blas_->sgemm(false, false, narrow(p.group_out()), narrow(end - first), depth,
                   weights_ + group * p.group_out() * p.depth(), depth, matrix + first, pixels,
                   result + first, pixels);
    });
  }

  void convolve_last(std::int64_t n, std::int64_t group) {
    const Problem& p = problem_;
    const float* image = input_ + n * p.h * p.w * p.c_in + group * p.group_in();
    const float* matrix = image;
    std::int64_t between_rows = p.c_in;
    if (gathered_ != nullptr) {
      on_each(*team_, p.h_out, [&](std::int64_t i) { gather_last(problem_, image, i, gathered_); });
      matrix = gathered_;
      between_rows = p.depth();
    }
    const int depth = narrow(p.depth());
    float* const result = output_ + n * p.pixels_out() * p.c_out + group * p.group_out();
    on_parts([&](std::int64_t first, std::int64_t end) {
      blas_->sgemm(false, true, narrow(end - first), narrow(p.group_out()), depth,
                   matrix + first * between_rows, narrow(between_rows),
                   weights_ + group * p.group_out() * p.depth(), depth, result + first * p.c_out,
                   narrow(p.c_out));
    });
  }

  Problem problem_;
  std::shared_ptr<const Cblas> blas_;
  std::int64_t parts_;   // parts of the pixels, which are computed at the same time
  std::string runtime_;  // with all threads
  std::unique_ptr<Team> team_;
  const float* input_;
  const float* weights_;
  const float* bias_;
  float* gathered_;  // null if the image is the matrix
  float* output_;
};

}  // namespace

pack::Variant im2col() {
  return pack::variant<Im2col>("im2col", "gathered into a matrix, multiplied by any CBLAS library")
      .of<Problem>();
}

}  // namespace kernsweep::conv2d
