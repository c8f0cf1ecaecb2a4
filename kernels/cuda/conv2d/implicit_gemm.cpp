// A convolution as a matrix product with one factor that is never stored: implicit_gemm_kernel.hpp.
//
// In addition to the arrays, the GPU holds a table of 16 bytes per product of a sum. For nhwc the weights
// are reordered once, as an inference engine does.
#include "kernels/cuda/conv2d/implicit_gemm_kernel.hpp"

#include <fmt/format.h>

#include <vector>

#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/cuda/conv2d/direct_arguments.hpp"
#include "kernels/cuda/fatbins.hpp"

namespace kernsweep::cuda {
namespace {

constexpr std::int64_t kInt32Max = 0x7fffffff;

std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}

std::int64_t pixels_of(const conv2d::Problem& problem) {
  return problem.batch * problem.pixels_out();
}

// No overflow: each of the three has at most 2^40 elements in all.
std::int64_t blocks_of(const conv2d::Problem& problem, std::int64_t tile) {
  std::int64_t blocks = 0;
  if (__builtin_mul_overflow(problem.groups * tiles_of(problem.group_out(), tile),
                             tiles_of(pixels_of(problem), tile), &blocks))
    return kInt32Max + 1;
  return blocks;
}

void check_size(const char* what, std::int64_t value, std::int64_t most = kInt32Max) {
  if (value > most)
    throw Failure(KS_UNSUPPORTED,
                  fmt::format("{} is {}, at most {} will do; make the point smaller, or take cuda_direct",
                              what, value, most));
}

// The taps in the order of the weights.
std::vector<Conv2dTap> taps_of(const conv2d::Problem& problem) {
  const conv2d::ImageStrides from = problem.input_strides();
  const auto tap = [&](std::int64_t c, std::int64_t r, std::int64_t s) {
    const std::int64_t down = r * problem.dilation;
    const std::int64_t right = s * problem.dilation;
    return Conv2dTap{c * from.c + down * from.h + right * from.w, static_cast<std::int32_t>(down),
                     static_cast<std::int32_t>(right)};
  };
  std::vector<Conv2dTap> taps;
  taps.reserve(static_cast<std::size_t>(problem.depth()));
  const std::int64_t outer = problem.channels_last ? 1 : problem.group_in();
  const std::int64_t inner = problem.channels_last ? problem.group_in() : 1;
  for (std::int64_t c = 0; c < outer; ++c)
    for (std::int64_t r = 0; r < problem.kh; ++r)
      for (std::int64_t s = 0; s < problem.kw; ++s)
        for (std::int64_t last = 0; last < inner; ++last) taps.push_back(tap(c + last, r, s));
  return taps;
}

class Conv2dImplicitGemm : public Conv2dArrays {
 public:
  struct Settings {
    std::int64_t tile = 64;
    static auto params() {
      return std::vector{
          pack::param<&Settings::tile>({.name = "tile",
                                        .summary = "channels, and pixels, per block of threads",
                                        .fallback = "64",
                                        .choices = "64|128",
                                        .setting = true})};
    }
    void check() const {
      if (tile != 64 && tile != 128)
        throw Failure(KS_BAD_PARAMETER, fmt::format("tile is {}; it must be 64 or 128", tile));
    }
  };

  static void can_run(const conv2d::Problem& problem, const Settings& settings) {
    need_our_kernels(problem);
    // A step is added to the last place along a sum.
    check_size("c_in / groups * kh * kw", problem.depth(), kInt32Max - 16);
    check_size("h + 2 padding", problem.h + 2 * problem.padding);
    check_size("w + 2 padding", problem.w + 2 * problem.padding);
    check_size("the number of tiles", blocks_of(problem, settings.tile));
  }

  Conv2dImplicitGemm(const conv2d::Problem& given, const Settings& settings, pack::Setup& setup)
      : Conv2dArrays(given, WeightOrder::like_images, setup),
        tile_(settings.tile),
        on_host_(taps_of(problem)),
        taps_(on_host_.size() * sizeof(Conv2dTap), memory),
        module_(loaded(kernsweep_fatbin_conv2d_implicit_gemm)),
        kernel_(module_.kernel<ImplicitGemmArguments>(
            fmt::format("conv2d_implicit_gemm_{}_{}", name_of_type(problem), tile_).c_str())) {
    copy_to_device(taps_.address(), on_host_.data(), taps_.bytes(), stream);
    stream.synchronize();
  }

  void start() {
    if (problem.batch > 0) {
      const Grid grid = {static_cast<unsigned>(blocks_of(problem, tile_)), kImplicitGemmThreads};
      launch(kernel_, grid, stream,
             {.conv = arguments_of(problem, images.address(), weights.address(), results.address()),
              .taps = static_cast<const Conv2dTap*>(taps_.address()),
              .pixels = pixels_of(problem),
              .channel_tiles = tiles_of(problem.group_out(), tile_),
              .pixel_tiles = tiles_of(pixels_of(problem), tile_),
              .depth = static_cast<std::int32_t>(problem.depth())});
    }
  }

 private:
  std::int64_t tile_;
  std::vector<Conv2dTap> on_host_;
  DeviceMemory taps_;
  const Module& module_;
  Kernel<ImplicitGemmArguments> kernel_;
};

}  // namespace

pack::Variant conv2d_implicit_gemm() {
  return device_variant<Conv2dImplicitGemm>(
      "cuda_implicit_gemm", "a GPU: a matrix product in tiles of shared memory, the columns never written");
}

}  // namespace kernsweep::cuda
