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
// The gather runs on our threads, then the product on the library's, so never more threads work at once
// than the point has. An epilogue is a pass over
// the whole result. f32 only.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "kernels/cpu/conv2d/epilogue_pass.hpp"
#include "kernels/cpu/conv2d/gather.hpp"
#include "kernels/cpu/conv2d/variants.hpp"
#include "kernels/cpu/libraries/cblas.hpp"
#include "kernels/cpu/parallel/tbb.hpp"

namespace kernsweep::conv2d {
namespace {

const ks_param_doc kIm2colParams[] = {
    {"blas.library", KS_TEXT, "libopenblas.so.0", nullptr,
     "file name of a CBLAS library, as the loader takes it"},
};

class Im2col {
 public:
  static ks_status can_run(const Problem& problem, const Params& params, ks_why why) {
    if (const ks_status status = params.check(kIm2colParams, 1, why); status != KS_OK) return status;
    if (problem.tf32 || problem.dtype != Dtype::f32) {
      return refuse(KS_UNSUPPORTED, why,
                    fmt::format("dtype {}: a CBLAS library computes f32 here; onednn may do more",
                                problem.dtype_name()));
    }
    const std::int64_t largest =
        std::max({problem.pixels_out(), problem.depth(), problem.c_out, problem.c_in});
    if (largest > std::numeric_limits<int>::max()) {
      return refuse(
          KS_UNSUPPORTED, why,
          fmt::format("a matrix of {} rows is too large for CBLAS, which counts in 32 bits", largest));
    }
    return KS_OK;
  }

  ks_status prepare(const Problem& problem, const Params& params, const ks_context& context,
                    const ks_tensor* inputs, ks_why why) {
    problem_ = problem;
    input_ = static_cast<const float*>(inputs[0].data);
    weights_ = static_cast<const float*>(inputs[1].data);
    if (problem.epilogue.has_bias) bias_ = static_cast<const float*>(inputs[2].data);
    ks_status status = KS_OK;
    blas_ = Cblas::open(params.text("blas.library", "libopenblas.so.0"), context.threads, status, why);
    if (blas_ == nullptr) return status;
    team_ = Team::make(context.threads, status, why);
    if (team_ == nullptr) return status;
    status = allocate(context, problem.output_elements(), "the result", output_, why);
    if (status == KS_OK && !problem.is_matrix_product()) {
      status =
          allocate(context, problem.depth() * problem.pixels_out(), "the gathered matrix", gathered_, why);
    }
    if (status != KS_OK || !problem.channels_last || problem.kh * problem.kw == 1) return status;
    float* ordered = nullptr;
    status = allocate(context, problem.weight_elements(), "the weights in the order r, s, c", ordered, why);
    if (status == KS_OK) order_weights(problem_, weights_, ordered);
    if (status == KS_OK) weights_ = ordered;
    return status;
  }

  ks_status run() {
    for (std::int64_t n = 0; n < problem_.batch; ++n) {
      for (std::int64_t group = 0; group < problem_.groups; ++group) {
        const ks_status status =
            problem_.channels_last ? convolve_last(n, group) : convolve_first(n, group);
        if (status != KS_OK) return status;
      }
    }
    return finish_convolution(problem_, bias_, output_, *team_);
  }

  ks_status output(ks_tensor& out) {
    view_output(problem_, output_, KS_F32, out);
    return KS_OK;
  }

  const char* runtime() const { return blas_->runtime().c_str(); }

 private:
  static int narrow(std::int64_t extent) { return static_cast<int>(extent); }  // can_run has checked it

  ks_status convolve_first(std::int64_t n, std::int64_t group) {
    const Problem& p = problem_;
    const float* image = input_ + (n * p.c_in + group * p.group_in()) * p.h * p.w;
    const float* matrix = image;
    if (gathered_ != nullptr) {
      const ks_status status =
          team_->each(p.depth(), [&](std::int64_t k) { gather_first(problem_, image, k, gathered_); });
      if (status != KS_OK) return status;
      matrix = gathered_;
    }
    const int pixels = narrow(p.pixels_out());
    const int depth = narrow(p.depth());
    blas_->sgemm(false, false, narrow(p.group_out()), pixels, depth,
                 weights_ + group * p.group_out() * p.depth(), depth, matrix, pixels,
                 output_ + (n * p.c_out + group * p.group_out()) * p.pixels_out(), pixels);
    return KS_OK;
  }

  ks_status convolve_last(std::int64_t n, std::int64_t group) {
    const Problem& p = problem_;
    const float* image = input_ + n * p.h * p.w * p.c_in + group * p.group_in();
    const float* matrix = image;
    std::int64_t between_rows = p.c_in;
    if (gathered_ != nullptr) {
      const ks_status status =
          team_->each(p.h_out, [&](std::int64_t i) { gather_last(problem_, image, i, gathered_); });
      if (status != KS_OK) return status;
      matrix = gathered_;
      between_rows = p.depth();
    }
    const int depth = narrow(p.depth());
    blas_->sgemm(false, true, narrow(p.pixels_out()), narrow(p.group_out()), depth, matrix,
                 narrow(between_rows), weights_ + group * p.group_out() * p.depth(), depth,
                 output_ + n * p.pixels_out() * p.c_out + group * p.group_out(), narrow(p.c_out));
    return KS_OK;
  }

  Problem problem_;
  const float* input_ = nullptr;
  const float* weights_ = nullptr;
  const float* bias_ = nullptr;
  float* gathered_ = nullptr;  // null if the image is the matrix
  float* output_ = nullptr;
  std::shared_ptr<const Cblas> blas_;
  std::unique_ptr<Team> team_;
};

}  // namespace

const ks_variant kIm2col =
    variant_of<Im2col>("im2col", "gathered into a matrix, multiplied by any CBLAS library", kIm2colParams,
                       std::size(kIm2colParams));

}  // namespace kernsweep::conv2d
