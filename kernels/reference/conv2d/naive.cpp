// The reference: the sum of the definition, product by product, in f64.
//
// Each image is first written out as f64 with zeros around it, so that the sum does not depend on types,
// layouts and edges. The innermost loop goes along a row of the result, which is fast enough to verify
// every layer of a ResNet in a fraction of a second, and each element is still summed in the order of the
// definition. Products are exact in f64 for all types; for tf32 the f32 are multiplied unrounded.
#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d {
namespace {

class Naive {
 public:
  Naive(const Problem& problem, pack::Setup& setup)
      : problem_(problem),
        input_(setup.tensor(0).data),
        weights_given_(setup.tensor(1).data),
        bias_(problem.epilogue.has_bias ? setup.tensor(2).data : nullptr),
        image_(of<double>(problem.c_in * h_padded_ * w_padded_, setup)),
        weights_(of<double>(problem.weight_elements(), setup)),
        row_(of<double>(problem.w_out, setup)),
        real_(of<double>(is_whole() ? 0 : problem.output_elements(), setup)),
        whole_(of<std::int32_t>(is_whole() ? problem.output_elements() : 0, setup)) {}

  void run() {
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
  }

  ks_tensor output() const {
    return is_whole() ? problem_.shown_result(whole_, KS_S32) : problem_.shown_result(real_, KS_F64);
  }

  static std::string runtime() { return "threads=1"; }

 private:
  template <class T>
  static T* of(std::int64_t count, pack::Setup& setup) {
    return setup.allocate<T>(static_cast<std::size_t>(count)).data();
  }

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

  // row[j] += weight * from[j stride]. Stride 1 is a separate loop, because the compiler can vectorise only
  // its loads.
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
  const void* input_;
  const void* weights_given_;
  const void* bias_;
  std::int64_t h_padded_ = problem_.h + 2 * problem_.padding, w_padded_ = problem_.w + 2 * problem_.padding;
  double* image_;  // c h w with padding
  double* weights_;
  double* row_;
  double* real_;
  std::int32_t* whole_;
};

}  // namespace

pack::Variant naive() {
  return pack::variant<Naive>("naive", "the reference: the sum of the definition in f64, one thread")
      .of<Problem>();
}

}  // namespace kernsweep::conv2d
