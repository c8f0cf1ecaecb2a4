#include "kernels/cpu/conv2d/gather.hpp"

#include <algorithm>

namespace kernsweep::conv2d {
namespace {

// `count` matrices rows x columns, one after the other.
void transpose_each(std::int64_t count, std::int64_t rows, std::int64_t columns, const float* from,
                    float* to) {
  for (std::int64_t i = 0; i < count; ++i, from += rows * columns, to += rows * columns)
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        to[column * rows + row] = from[row * columns + column];
}

}  // namespace

Inside inside(const Problem& p, std::int64_t column) {
  const std::int64_t shift = column * p.dilation - p.padding;
  const std::int64_t first =
      std::clamp<std::int64_t>(shift < 0 ? (p.stride - 1 - shift) / p.stride : 0, 0, p.w_out);
  const std::int64_t beyond = p.w - shift <= 0 ? 0 : (p.w - shift + p.stride - 1) / p.stride;
  return {shift, first, std::clamp(beyond, first, p.w_out)};
}

void gather_first(const Problem& p, const float* image, std::int64_t k, float* gathered) {
  const std::int64_t row = k / p.kw % p.kh;
  const float* plane = image + k / (p.kw * p.kh) * p.h * p.w;
  const auto [shift, first, last] = inside(p, k % p.kw);
  for (std::int64_t i = 0; i < p.h_out; ++i) {
    float* to = gathered + (k * p.h_out + i) * p.w_out;
    const std::int64_t y = i * p.stride - p.padding + row * p.dilation;
    if (y < 0 || y >= p.h) {
      std::fill_n(to, p.w_out, 0.0F);
      continue;
    }
    const float* from = plane + y * p.w + shift;
    std::fill(to, to + first, 0.0F);
    if (p.stride == 1) {
      std::copy(from + first, from + last, to + first);
    } else {
      for (std::int64_t j = first; j < last; ++j) to[j] = from[j * p.stride];
    }
    std::fill(to + last, to + p.w_out, 0.0F);
  }
}

void gather_last(const Problem& p, const float* image, std::int64_t i, float* gathered) {
  const std::int64_t channels = p.group_in();
  float* to = gathered + i * p.w_out * p.depth();
  for (std::int64_t j = 0; j < p.w_out; ++j) {
    for (std::int64_t row = 0; row < p.kh; ++row) {
      const std::int64_t y = i * p.stride - p.padding + row * p.dilation;
      for (std::int64_t column = 0; column < p.kw; ++column, to += channels) {
        const std::int64_t x = j * p.stride - p.padding + column * p.dilation;
        if (y < 0 || y >= p.h || x < 0 || x >= p.w) {
          std::fill_n(to, channels, 0.0F);
        } else {
          std::copy_n(image + (y * p.w + x) * p.c_in, channels, to);
        }
      }
    }
  }
}

void scatter_first(const Problem& p, const float* gathered, std::int64_t c, float* image) {
  float* const plane = image + c * p.h * p.w;
  std::fill_n(plane, p.h * p.w, 0.0F);
  for (std::int64_t row = 0; row < p.kh; ++row) {
    for (std::int64_t column = 0; column < p.kw; ++column) {
      const auto [shift, first, last] = inside(p, column);
      const float* const product = gathered + ((c * p.kh + row) * p.kw + column) * p.pixels_out();
      for (std::int64_t i = 0; i < p.h_out; ++i) {
        const std::int64_t y = i * p.stride - p.padding + row * p.dilation;
        if (y < 0 || y >= p.h) continue;
        const float* const from = product + i * p.w_out;
        float* const to = plane + y * p.w + shift;
        if (p.stride == 1) {
          for (std::int64_t j = first; j < last; ++j) to[j] += from[j];
        } else {
          for (std::int64_t j = first; j < last; ++j) to[j * p.stride] += from[j];
        }
      }
    }
  }
}

void scatter_last(const Problem& p, const float* gathered, std::int64_t y, float* image) {
  const std::int64_t channels = p.group_in();
  float* const line = image + y * p.w * p.c_in;
  for (std::int64_t x = 0; x < p.w; ++x) std::fill_n(line + x * p.c_in, channels, 0.0F);
  for (std::int64_t row = 0; row < p.kh; ++row) {
    const std::int64_t from_edge = y + p.padding - row * p.dilation;
    const std::int64_t i = from_edge / p.stride;
    if (from_edge < 0 || from_edge % p.stride != 0 || i >= p.h_out) continue;
    for (std::int64_t j = 0; j < p.w_out; ++j) {
      for (std::int64_t column = 0; column < p.kw; ++column) {
        const std::int64_t x = j * p.stride - p.padding + column * p.dilation;
        if (x < 0 || x >= p.w) continue;
        const float* const from =
            gathered + (i * p.w_out + j) * p.depth() + (row * p.kw + column) * channels;
        float* const to = line + x * p.c_in;
        for (std::int64_t c = 0; c < channels; ++c) to[c] += from[c];
      }
    }
  }
}

void order_weights(const Problem& p, const float* from, float* to) {
  transpose_each(p.c_out, p.group_in(), p.kh * p.kw, from, to);
}

void restore_weights(const Problem& p, const float* from, float* to) {
  transpose_each(p.c_out, p.kh * p.kw, p.group_in(), from, to);
}

}  // namespace kernsweep::conv2d
