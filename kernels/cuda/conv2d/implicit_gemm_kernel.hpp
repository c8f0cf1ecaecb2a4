// A convolution as a matrix product with one factor that is never stored, computed in tiles.
//
//   y[o, p] = sum over k of w[o, k] x(k, p)      for each group of channels
//
// o counts output channels, p the pixels of all images of the batch, k the products of one element; x(k, p)
// is the element of the images that product k takes for pixel p, or 0 in the padding: the column that
// im2col would write. A block of 256 threads computes kTile x kTile results; it goes along k in steps of
// 16, for each of which it loads kTile weights and kTile elements of images per k into shared memory,
// widened, and then adds their products, kTile/16 squared sums per thread in registers.
//
// The position of product k relative to a pixel is in a table of `depth` taps, made once on the host, so
// that no element needs a division. Taps are in the order of the weights: c r s for nchw; r s c for nhwc,
// so that neighbouring threads read adjacent channels.
//
// The work of a block is a sequence of phases. In each, threads write to shared memory or their own
// registers only what no other thread of the phase reads; between two phases all threads wait. So a host
// can run them too, all threads of a phase one after the other (implicit_gemm_phases).
#pragma once

#include <cstdint>

#include "kernels/cuda/conv2d/direct_kernel.hpp"

// Arrays with a loop index stay in registers only if the loop is unrolled.
#if defined(__CUDACC__)
#define KERNSWEEP_CONV2D_UNROLL _Pragma("unroll")
#else
#define KERNSWEEP_CONV2D_UNROLL
#endif

namespace kernsweep::cuda {

inline constexpr int kImplicitGemmThreads = 256;

// Product k of a sum, relative to the pixel's first element: distance in elements, rows below, columns to
// the right.
struct Conv2dTap {
  std::int64_t offset;
  std::int32_t down, right;
};

struct ImplicitGemmArguments {
  Conv2dArguments conv;  // weights: o, then the order of the taps
  const Conv2dTap* taps;
  std::int64_t pixels;                      // of all results
  std::int64_t channel_tiles, pixel_tiles;  // of one group
  std::int32_t depth;
};

template <class T, int kTile>
class ImplicitGemm {
 public:
  using Sum = typename Conv2dElement<T>::Sum;
  static constexpr int kSide = 16;             // threads along each side of a tile
  static constexpr int kStep = 16;             // products per step
  static constexpr int kEach = kTile / kSide;  // elements of a side per thread
  static constexpr int kRow = kTile + 2;       // so that threads that store along k use different banks

  struct Pixel {
    std::int64_t first;  // its element of the images at tap 0; may be outside the array
    std::int32_t top, left;
  };
  struct Shared {
    Pixel pixels[kTile];
    Sum weights[kStep][kRow];
    Sum images[kStep][kRow];
  };
  struct Registers {
    Sum sums[kEach][kEach];  // channels by pixels
  };

  // Consecutive blocks have the same pixels and share them in the L2 cache.
  KERNSWEEP_HOST_DEVICE ImplicitGemm(const ImplicitGemmArguments& arguments, std::int64_t block,
                                     Shared& shared)
      : a_(arguments), shared_(shared) {
    channel_ = split_off(block, a_.channel_tiles) * kTile;
    pixel_ = split_off(block, a_.pixel_tiles) * kTile;
    group_ = block;
  }

  KERNSWEEP_HOST_DEVICE void begin(int thread, Registers& registers) const {
    KERNSWEEP_CONV2D_UNROLL
    for (int i = 0; i < kEach; ++i) KERNSWEEP_CONV2D_UNROLL
    for (int j = 0; j < kEach; ++j) registers.sums[i][j] = 0;
    if (thread >= kTile) return;
    Pixel& pixel = shared_.pixels[thread];
    pixel = {0, kNowhere, 0};
    std::int64_t n = pixel_ + thread;
    if (n >= a_.pixels) return;
    const std::int64_t j = split_off(n, a_.conv.w_out);
    const std::int64_t i = split_off(n, a_.conv.h_out);
    const std::int64_t top = i * a_.conv.stride - a_.conv.padding;
    const std::int64_t left = j * a_.conv.stride - a_.conv.padding;
    pixel.first = n * a_.conv.from.n + group_ * a_.conv.group_in * a_.conv.from.c + top * a_.conv.from.h +
                  left * a_.conv.from.w;
    pixel.top = static_cast<std::int32_t>(top);
    pixel.left = static_cast<std::int32_t>(left);
  }

  // Weights and elements of images for products k to k + 15; zeros beyond the end.
  KERNSWEEP_HOST_DEVICE void load(int thread, std::int32_t k) const {
    KERNSWEEP_CONV2D_UNROLL
    for (int i = 0; i < kEach; ++i) {
      const int step = thread % kStep;
      const int channel = thread / kStep + i * kSide;
      shared_.weights[step][channel] = weight_at(channel_ + channel, k + step);
    }
    // Neighbouring threads load adjacent elements: pixels or channels.
    KERNSWEEP_CONV2D_UNROLL
    for (int i = 0; i < kEach; ++i) {
      const int step =
          a_.conv.channels_last ? thread % kStep : thread / kTile + i * (kImplicitGemmThreads / kTile);
      const int pixel = a_.conv.channels_last ? thread / kStep + i * kSide : thread % kTile;
      shared_.images[step][pixel] = image_at(shared_.pixels[pixel], k + step);
    }
  }

  KERNSWEEP_HOST_DEVICE void multiply(int thread, Registers& registers) const {
    for (int step = 0; step < kStep; ++step) {
      Sum weights[kEach], images[kEach];
      KERNSWEEP_CONV2D_UNROLL
      for (int i = 0; i < kEach; ++i) {
        weights[i] = shared_.weights[step][channel_of(thread, i)];
        images[i] = shared_.images[step][pixel_of(thread, i)];
      }
      KERNSWEEP_CONV2D_UNROLL
      for (int i = 0; i < kEach; ++i) KERNSWEEP_CONV2D_UNROLL
      for (int j = 0; j < kEach; ++j) registers.sums[i][j] += weights[i] * images[j];
    }
  }

  KERNSWEEP_HOST_DEVICE void store(int thread, const Registers& registers) const {
    auto* const results = static_cast<typename Conv2dElement<T>::Result*>(a_.conv.results);
    const std::int64_t image = a_.conv.h_out * a_.conv.w_out;
    KERNSWEEP_CONV2D_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const std::int64_t pixel = pixel_ + pixel_of(thread, j);
      if (pixel >= a_.pixels) continue;
      std::int64_t n = pixel;
      const std::int64_t in_image = split_off(n, image);
      KERNSWEEP_CONV2D_UNROLL
      for (int i = 0; i < kEach; ++i) {
        const std::int64_t in_group = channel_ + channel_of(thread, i);
        if (in_group >= a_.conv.group_out) continue;
        const std::int64_t o = group_ * a_.conv.group_out + in_group;
        const std::int64_t place =
            a_.conv.channels_last ? pixel * a_.conv.c_out + o : (n * a_.conv.c_out + o) * image + in_image;
        store_sum(registers.sums[i][j], results[place]);
      }
    }
  }

 private:
  static constexpr std::int32_t kNowhere = INT32_MIN;  // a `top` that is above the image for every tap

  // Neighbouring threads store neighbouring results.
  KERNSWEEP_HOST_DEVICE int channel_of(int thread, int i) const {
    return (a_.conv.channels_last ? thread % kSide : thread / kSide) + i * kSide;
  }
  KERNSWEEP_HOST_DEVICE int pixel_of(int thread, int j) const {
    return (a_.conv.channels_last ? thread / kSide : thread % kSide) + j * kSide;
  }

  KERNSWEEP_HOST_DEVICE Sum weight_at(std::int64_t in_group, std::int32_t k) const {
    if (in_group >= a_.conv.group_out || k >= a_.depth) return 0;
    const std::int64_t o = group_ * a_.conv.group_out + in_group;
    return widened(static_cast<const T*>(a_.conv.weights)[o * a_.depth + k]);
  }

  KERNSWEEP_HOST_DEVICE Sum image_at(const Pixel& pixel, std::int32_t k) const {
    if (k >= a_.depth) return 0;
    const Conv2dTap tap = a_.taps[k];
    const std::int32_t y = pixel.top + tap.down;
    const std::int32_t x = pixel.left + tap.right;
    if (y < 0 || y >= a_.conv.h || x < 0 || x >= a_.conv.w) return 0;
    return widened(static_cast<const T*>(a_.conv.images)[pixel.first + tap.offset]);
  }

  const ImplicitGemmArguments& a_;
  Shared& shared_;
  std::int64_t group_ = 0, channel_ = 0, pixel_ = 0;  // the tile's first channel in its group, first pixel
};

// The work of a block. `each_thread(phase)` calls phase(thread, registers) for each thread of the block
// that it runs, and returns when all threads of the block have finished the phase.
template <class Gemm, class EachThread>
KERNSWEEP_HOST_DEVICE void implicit_gemm_phases(const Gemm& gemm, std::int32_t depth,
                                                const EachThread& each_thread) {
  using Registers = typename Gemm::Registers;
  each_thread([&](int thread, Registers& registers) { gemm.begin(thread, registers); });
  for (std::int32_t k = 0; k < depth; k += Gemm::kStep) {
    each_thread([&](int thread, Registers&) { gemm.load(thread, k); });
    each_thread([&](int thread, Registers& registers) { gemm.multiply(thread, registers); });
  }
  each_thread([&](int thread, Registers& registers) { gemm.store(thread, registers); });
}

}  // namespace kernsweep::cuda
