#include "kernels/reference/conv2d/naive.hpp"

#include <algorithm>

#include "kernels/reference/conv2d/variant.hpp"

namespace kernsweep::conv2d {
namespace {

class Naive {
 public:
  static ks_status can_run(const Problem&, const Params&, ks_why) { return KS_OK; }

  ks_status prepare(const Problem& problem, const Params&, const ks_context& context,
                    const ks_tensor* inputs, ks_why why) {
    problem_ = problem;
    input_ = inputs[0].data;
    weights_given_ = inputs[1].data;
    if (problem.epilogue.has_bias) bias_ = inputs[2].data;
    h_padded_ = problem.h + 2 * problem.padding;
    w_padded_ = problem.w + 2 * problem.padding;
    ks_status status =
        allocate(context, problem.c_in * h_padded_ * w_padded_, "a padded image", image_, why);
    if (status == KS_OK)
      status = allocate(context, problem.weight_elements(), "the weights", weights_, why);
    if (status == KS_OK) status = allocate(context, problem.w_out, "a row of the result", row_, why);
    if (status != KS_OK) return status;
    if (is_whole()) return allocate(context, problem.output_elements(), "the result", whole_, why);
    return allocate(context, problem.output_elements(), "the result", real_, why);
  }

  ks_status run() {
    for (std::int64_t i = 0; i < problem_.weight_elements(); ++i) {
      weights_[i] = element_as_double(problem_.dtype, weights_given_, i);
    }
    for (std::int64_t n = 0; n < problem_.batch; ++n) {
      write_image(n);
      for (std::int64_t o = 0; o < problem_.c_out; ++o) {
        for (std::int64_t i = 0; i < problem_.h_out; ++i) {
          sum_row(o, i);
          if (!problem_.epilogue.is_none())
            finish_sums(problem_.epilogue, problem_.output_dtype(), bias_, {row_, problem_.w_out, 1, 1, o});
          store_row(n, o, i);
        }
      }
    }
    return KS_OK;
  }

  ks_status output(ks_tensor& out) {
    const void* data = is_whole() ? static_cast<const void*>(whole_) : real_;
    view_output(problem_, data, is_whole() ? KS_S32 : KS_F64, out);
    return KS_OK;
  }

  const char* runtime() const { return "threads=1"; }

 private:
  bool is_whole() const { return problem_.dtype == Dtype::s8; }

  void write_image(std::int64_t n) {
    const ImageStrides from = problem_.input_strides();
    for (std::int64_t c = 0; c < problem_.c_in; ++c) {
      for (std::int64_t y = 0; y < problem_.h; ++y) {
        double* to = image_ + (c * h_padded_ + y + problem_.padding) * w_padded_ + problem_.padding;
        for (std::int64_t x = 0; x < problem_.w; ++x) {
          to[x] =
              element_as_double(problem_.dtype, input_, n * from.n + c * from.c + y * from.h + x * from.w);
        }
      }
    }
  }

  // Row i of channel o, from the image that was written out.
  void sum_row(std::int64_t o, std::int64_t i) {
    const Problem& p = problem_;
    const std::int64_t first_channel = o / p.group_out() * p.group_in();
    std::fill_n(row_, p.w_out, 0.0);
    const double* weight = weights_ + o * p.depth();
    for (std::int64_t c = 0; c < p.group_in(); ++c) {
      for (std::int64_t r = 0; r < p.kh; ++r) {
        const double* from =
            image_ + ((first_channel + c) * h_padded_ + i * p.stride + r * p.dilation) * w_padded_;
        for (std::int64_t s = 0; s < p.kw; ++s) add_scaled(*weight++, from + s * p.dilation);
      }
    }
  }

  // row[j] += weight * from[j stride]. Stride 1 is a separate loop, because only then the compiler can
  // vectorise the loads.
  void add_scaled(double weight, const double* from) {
    double* __restrict row = row_;
    if (problem_.stride == 1) {
      for (std::int64_t j = 0; j < problem_.w_out; ++j) row[j] += weight * from[j];
    } else {
      for (std::int64_t j = 0; j < problem_.w_out; ++j) row[j] += weight * from[j * problem_.stride];
    }
  }

  void store_row(std::int64_t n, std::int64_t o, std::int64_t i) {
    const ImageStrides to = problem_.output_strides();
    const std::int64_t begin = n * to.n + o * to.c + i * to.h;
    for (std::int64_t j = 0; j < problem_.w_out; ++j) {
      if (is_whole()) {
        whole_[begin + j * to.w] = static_cast<std::int32_t>(row_[j]);
      } else {
        real_[begin + j * to.w] = row_[j];
      }
    }
  }

  Problem problem_;
  const void* input_ = nullptr;
  const void* weights_given_ = nullptr;
  const void* bias_ = nullptr;
  std::int64_t h_padded_ = 0, w_padded_ = 0;
  double* image_ = nullptr;  // c h w with padding
  double* weights_ = nullptr;
  double* row_ = nullptr;
  double* real_ = nullptr;
  std::int32_t* whole_ = nullptr;
};

}  // namespace

const ks_variant kNaive =
    variant_of<Naive>("naive", "the reference: the sum of the definition in f64, one thread");

}  // namespace kernsweep::conv2d
